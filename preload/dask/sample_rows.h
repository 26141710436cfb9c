/* Rows of samples: the log gets only the values of a worker that changed since its last row.
 * include/log_format.h describes the records ROWS, WORKER and SAMPLE. The caller
 * holds the GIL, which protects all state here. */
#pragma once

#include "include/log_format.h"
#include "preload/python/python.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The rows of one server; all zeros at first. */
struct cup_rows {
    uint32_t server; /* SERVER record */
    uint32_t rows;   /* number of the last ROWS record, written or lost */
    uint32_t losses; /* samples that were lost: after each, every worker gets a whole row again */
};

/* The values of a worker that the log holds; all zeros at first. */
struct cup_last_written {
    uint32_t worker; /* WORKER record; 0: none yet */
    uint32_t losses; /* cup_rows.losses + 1 when its last row was written; 0: it has no row yet */
    uint64_t values[CUP_WV_COUNT];
    uint64_t heartbeat[CUP_HV_COUNT];
};

/* A sample that is being taken; lives on the stack. */
enum { CUP_ROWS_BYTES = 4096, CUP_ROW_LONGEST = 768 };
struct cup_rows_batch {
    struct cup_rows *rows;
    uint32_t sample;
    bool lost;
    size_t used;
    unsigned char bytes[CUP_ROWS_BYTES];
};

/* Each worker gets a whole row at least once in this many samples, so that a reader of a damaged
 * log soon has all values again. */
enum { CUP_ROWS_WHOLE_EVERY = 64 };

void cup_rows_begin(struct cup_rows_batch *batch, struct cup_rows *rows);

/* Writes the WORKER record of a worker. ADDRESS and NAME are string ids. False if the log is full:
 * the worker cannot have rows yet. */
bool cup_rows_add_worker(const struct cup_rows *rows, struct cup_last_written *written,
                         uint32_t address, uint32_t name);

/* Adds a row with the values that changed, or no row if none did. HEARTBEAT: NULL if the worker
 * sent no new one. */
void cup_rows_add(struct cup_rows_batch *batch, struct cup_last_written *written,
                  const uint64_t *values, const uint64_t *heartbeat);

/* Adds a row saying that the server does not list the worker any more. */
void cup_rows_add_gone(struct cup_rows_batch *batch, const struct cup_last_written *written);

/* Writes the SAMPLE record; VALUES are indexed by enum cup_sample_value. False if this record or a
 * row of the sample was lost: readers then ignore the sample, and the next one writes whole
 * rows. */
bool cup_rows_end(struct cup_rows_batch *batch, int64_t time_ns, const uint64_t *values);

/* Called in a forked child: the numbers of samples and workers begin anew. */
void cup_rows_reset(void);

/* ---- the workers of schedulers ----------------------------------------------------------------
 */

/* The workers in the samples of this process's schedulers. They are found by identity of the str
 * object in which Dask keeps a worker's network address. */
struct cup_known_worker {
    cup_object *address; /* that str; a reference is held, so no other object can take its place */
    uint32_t server;     /* SERVER record of the scheduler */
    uint32_t sample;     /* the last sample that contained the worker */
    struct cup_last_written written;
};

/* The entry of a worker of a scheduler. A new worker is added; its written.worker is 0. NULL
 * without memory. The pointer is valid until the next call. *NEXT is the index to try first: 0 at
 * the beginning of a sample, then whatever the call before left there, because Dask lists workers
 * in the same order every time. */
struct cup_known_worker *cup_known_worker_find(cup_object *address, uint32_t server, size_t *next);

/* Iterates over the workers of a scheduler that are not in SAMPLE, beginning with *AT == 0. NULL
 * after the last one. */
struct cup_known_worker *cup_known_worker_missing(uint32_t server, uint32_t sample, size_t *at);

/* Removes the workers of a scheduler that are not in SAMPLE. If LOST (the sample did not get into
 * the log), removes only those that have no row in the log: the next sample has to record that the
 * others are gone. */
void cup_known_worker_drop_missing(uint32_t server, uint32_t sample, bool lost);

/* A forked child: the table is empty. Python references are not given back, because the child may
 * not hold the GIL. */
void cup_known_worker_reset(void);

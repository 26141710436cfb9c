/* Rows of samples: what has changed of each worker since it was last told of. No Python. The
 * records and their meaning: ROWS, WORKER and SAMPLE in log_format.h. */
#ifndef CUPPING_PRELOAD_DASK_SAMPLE_ROWS_H
#define CUPPING_PRELOAD_DASK_SAMPLE_ROWS_H

#include "include/log_format.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Of one server; zeros at first. */
struct cup_rows {
    uint32_t server; /* SERVER record */
    uint32_t rows;   /* number of the last ROWS record, or of one that was lost */
    uint32_t losses; /* times that something told was lost: then all is told in full */
};

/* What the log holds of a worker; zeros at first. */
struct cup_last_written {
    uint32_t worker; /* WORKER record; 0: none yet */
    uint32_t losses; /* of its server, plus 1, when it was last told of; 0: never */
    uint64_t values[CUP_WV_COUNT];
    uint64_t heartbeat[CUP_HV_COUNT];
};

/* A sample being taken, on the stack. */
enum { CUP_ROWS_BYTES = 4096, CUP_ROW_LONGEST = 768 };
struct cup_rows_batch {
    struct cup_rows *rows;
    uint32_t sample;
    bool lost;
    size_t used;
    unsigned char bytes[CUP_ROWS_BYTES];
};

/* A worker is told in full at least once in as many samples, so that a damaged log is readable
 * again soon. */
enum { CUP_ROWS_WHOLE_EVERY = 64 };

void cup_rows_begin(struct cup_rows_batch *batch, struct cup_rows *rows);

/* Introduces a worker by its strings. False if there is no room: it cannot be told of yet. */
bool cup_rows_worker(const struct cup_rows *rows, struct cup_last_written *told, uint32_t address,
                     uint32_t name);

/* HEARTBEAT may be NULL: the one before. Nothing is written for a worker that did not change. */
void cup_rows_tell(struct cup_rows_batch *batch, struct cup_last_written *told,
                   const uint64_t *values, const uint64_t *heartbeat);

void cup_rows_gone(struct cup_rows_batch *batch, const struct cup_last_written *told);

/* Writes the sample, VALUES: enum cup_sample_value. False if it or any row of it was lost: then it
 * does not count, and the next one tells all in full. */
bool cup_rows_end(struct cup_rows_batch *batch, int64_t time_ns, const uint64_t *values);

/* In a forked child. */
void cup_rows_reset(void);

#endif

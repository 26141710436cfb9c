/* Samples of schedulers and of workers, and what they share: reading values of Python objects, and
 * the values that every server has. All functions need the GIL. */
#pragma once

#include "include/log_format.h"
#include "preload/dask/sample_rows.h"
#include "preload/python/python.h"

#include <stdbool.h>
#include <stdint.h>

/* A server whose sample is due, and what the ticks of its event loop showed. */
struct cup_sampling {
    struct cup_rows rows; /* names the server's SERVER record */
    int64_t now_ns;
    uint64_t missed;    /* samples that should have been taken since the last one */
    int64_t longest_ns; /* longest time between two ticks since the last sample; 0: unknown */
    uint64_t took_ns;   /* duration of the last sample; CUP_UNKNOWN64: there was none */
    uint64_t cpu_ns;    /* CPU time of the process at the last sample, */
    int64_t cpu_at_ns;  /* and when that was; 0: never */
};

/* Sets all values to CUP_UNKNOWN64. */
void cup_sample_clear(uint64_t *values, int count);

/* The following return a number times SCALE, or a length. CUP_UNKNOWN64 for NULL, for None, for
 * negative numbers and for anything that is no number (has no length). NAME is a string literal.
 * They run Python code only for objects of unusual types. */
#define CUP_SECONDS 1e9                                     /* scale: seconds to nanoseconds */
uint64_t cup_sample_value(cup_object *value, double scale); /* VALUE is borrowed */
uint64_t cup_sample_length(cup_object *value);              /* VALUE is borrowed */
uint64_t cup_sample_amount(cup_object *object, const char *name, double scale); /* attribute */
uint64_t cup_sample_item(cup_object *dict, const char *name, double scale);
uint64_t cup_sample_size(cup_object *object, const char *name);      /* len() of an attribute */
uint64_t cup_sample_heap_size(cup_object *object, const char *name); /* of a HeapSet attribute */

/* The number of the STATUS record of a member of Dask's enum Status (borrowed); CUP_UNKNOWN64 if it
 * has none. */
uint64_t cup_sample_status(cup_object *status);

/* Fills in the values that describe a server's event loop and the sampling itself. */
void cup_sample_loop(uint64_t *values, cup_object *server, const struct cup_sampling *sampling);

/* Fills in the difference between the scheduler's clock and the one that the log uses. Dask
 * computes the scheduler's time as this process's clock plus DELAY_S. */
void cup_sample_clock(uint64_t *values, double delay_s);

/* The two kinds of samples: a scheduler, and all its workers as the scheduler sees them; a worker,
 * as it sees itself. Both run on the server's event loop. */
void cup_sample_scheduler(cup_object *scheduler, struct cup_sampling *sampling);
void cup_sample_worker(cup_object *worker, struct cup_sampling *sampling);

/* The server is gone, and another one takes its slot. False: the workers of a scheduler are in use
 * right now. */
bool cup_sample_scheduler_evict(uint32_t id);
void cup_sample_worker_evict(uint32_t id);

/* Called in a forked child: no worker is known, and its log has no row and no note yet. */
void cup_sample_scheduler_reset(void);
void cup_sample_record_reset(void);

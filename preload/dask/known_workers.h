/* The workers in the samples of this process's schedulers. They are found by identity of the str
 * object in which Dask keeps a worker's network address. All functions need the GIL. */
#ifndef CUPPING_PRELOAD_DASK_KNOWN_WORKERS_H
#define CUPPING_PRELOAD_DASK_KNOWN_WORKERS_H

#include "preload/dask/sample_rows.h"
#include "preload/python/python.h"

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

#endif

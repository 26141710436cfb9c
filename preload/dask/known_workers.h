/* The workers that samples of schedulers told of, by their address objects. With the GIL. */
#ifndef CUPPING_PRELOAD_DASK_KNOWN_WORKERS_H
#define CUPPING_PRELOAD_DASK_KNOWN_WORKERS_H

#include "preload/dask/sample_rows.h"
#include "preload/python/python.h"

struct cup_known_worker {
    cup_object *address; /* a reference is held: no other object gets its place */
    uint32_t server;     /* SERVER record */
    uint32_t sample;     /* the last one that it was in */
    struct cup_last_written told;
};

/* The worker of a server, made at need: then told.worker is 0. Valid until the next call; NULL
 * without memory. *NEXT is where to look first: 0 at the beginning of a sample, then as it was
 * left, for samples hold their workers in one order. */
struct cup_known_worker *cup_known_worker_find(cup_object *address, uint32_t server, size_t *next);

/* Goes through those of a server that were not in a sample; NULL after the last. Begin with *AT 0.
 */
struct cup_known_worker *cup_known_worker_missing(uint32_t server, uint32_t sample, size_t *at);

/* Forgets them; of a sample that was LOST, only those that were never told of: the others are yet
 * to be told to be gone. */
void cup_known_worker_drop_missing(uint32_t server, uint32_t sample, bool lost);

/* In a forked child: the references stay. */
void cup_known_worker_reset(void);

#endif

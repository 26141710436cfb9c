/* Dask's fine metrics: what changed in a worker's digests_total. GIL. */
#ifndef CUPPING_PRELOAD_DASK_DIGESTS_H
#define CUPPING_PRELOAD_DASK_DIGESTS_H

#include "preload/python/python.h"

#include <stdint.h>

/* At each sample of a worker, whose SERVER record is ID. The first time, its dict is taken a
 * reference of, for the last snapshot: then the worker itself may be gone. */
void cup_digests_tick(cup_object *worker, uint32_t id, int64_t now_ns);

/* _exit() is called from CALLER: the last snapshot, if that is the interpreter itself and this
 * thread holds its lock. Other ends come through Python's atexit. */
void cup_digests_exit(const void *caller);

/* In a forked child. */
void cup_digests_reset(void);

#endif

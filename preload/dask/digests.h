/* Dask's fine metrics (seconds and bytes by activity): the values that changed in a worker's dict
 * digests_total, recorded at every sample. */
#pragma once

#include "preload/python/python.h"

#include <stdbool.h>
#include <stdint.h>

/* Records what changed. Called at each sample of a worker; ID: its SERVER record. Needs the GIL.
 * The first call takes a reference to the dict, so that the last values can still be read at the
 * end of the process, when the worker object may be gone. */
void cup_digests_tick(cup_object *worker, uint32_t id, int64_t now_ns);

/* The program calls _exit() from the instruction CALLER: records the last values, if the caller is
 * the interpreter (os._exit) and this thread holds the GIL. Other ends of the process come through
 * Python's atexit. Keeps errno. */
void cup_digests_exit(const void *caller);

/* The worker is gone, and another server takes its slot: records the last values, and gives the
 * dict back. False: a snapshot of it is under way. Needs the GIL. */
bool cup_digests_evict(uint32_t id);

/* Called in a forked child: no dict is watched. References are not given back, because the child
 * may not hold the GIL. */
void cup_digests_reset(void);

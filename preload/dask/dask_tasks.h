/* What Dask's clock calls tell: tasks, workers, roles. All with the GIL held and the
 * guard up; TOP is the frame that read the clock. */
#ifndef CUPPING_PRELOAD_DASK_DASK_TASKS_H
#define CUPPING_PRELOAD_DASK_DASK_TASKS_H

#include "preload/python/frames.h"
#include "preload/task/task.h"

#include <stdbool.h>
#include <stdint.h>

/* Called by distributed.metrics.meter: begin or end of a task, or neither. */
void cup_dask_thread_clock(struct cup_frame top, struct cup_moment now);

/* Likewise, of an async task; NOW_NS is the time that meter was told. */
void cup_dask_async_clock(struct cup_frame top, int64_t now_ns);

/* The call of an actor's method begins on this thread (it reads the time)... */
void cup_dask_actor_clock(struct cup_frame top, struct cup_moment now);
/* ... and has ended, if the lock that this thread has just taken is one of those that Dask takes
 * then. Without the guard, and without the GIL as well; keeps errno. */
void cup_dask_actor_lock(void);

/* Called by a server's _measure_tick, on its event loop. */
void cup_dask_tick(struct cup_frame top, int64_t now_ns);
bool cup_dask_tick_wanted(int64_t now_ns); /* cheap: something is to be learnt on this thread */

/* A row of the lifecycle table. */
void cup_dask_child_begins(void);

#endif

/* What Dask's clock calls tell: tasks, workers, roles. All with the GIL held and the
 * guard up; TOP is the frame that read the clock. */
#ifndef CUPPING_DASK_H
#define CUPPING_DASK_H

#include "preload/frames.h"
#include "preload/task.h"

#include <stdbool.h>
#include <stdint.h>

/* Called by distributed.metrics.meter: begin or end of a task, or neither. */
void cup_dask_thread_clock(struct cup_frame top, struct cup_moment now);

/* Called by a server's _measure_tick, on its event loop. */
void cup_dask_tick(struct cup_frame top);
bool cup_dask_tick_wanted(void); /* cheap: something is still to be learnt on this thread */

/* In a forked child, and when a log is opened: nothing has been recorded yet. */
void cup_dask_reset(void);

#endif

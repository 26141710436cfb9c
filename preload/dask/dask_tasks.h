/* What follows from Dask's clock calls: tasks begin and end. All functions are called
 * with the guard, and with the GIL unless stated. TOP: the frame that read the clock. */
#pragma once

#include "preload/python/frames.h"
#include "preload/task/task.h"

#include <stdbool.h>
#include <stdint.h>

/* distributed.metrics.meter read the thread's CPU clock: a task of a worker's thread begins, or
 * ends, or neither. */
void cup_dask_thread_clock(struct cup_frame top, struct cup_moment now);

/* The same for an async task, which runs on the event loop. NOW_NS: the time that meter read. */
void cup_dask_async_clock(struct cup_frame top, int64_t now_ns);

/* Dask's function that runs a task, or an async task, read the time itself (up to 2023.3.1). */
void cup_dask_unmetered_clock(struct cup_frame top, struct cup_moment now);

/* The calling thread begins to execute a method of an actor: it read the time. */
void cup_dask_actor_clock(struct cup_frame top, struct cup_moment now);

/* The calling thread, which awaits a lock (cup_self.awaits_lock), took one, or tried to. If its
 * task is a method of an actor, Dask takes the lock when the method has ended. If it is a call of
 * Coffea's in a job of a pool, concurrent.futures takes the lock when the job has ended. If its
 * last task ended before Dask had made its message (up to 2024.2), Dask takes the lock when it has.
 * Needs neither the guard nor the GIL (without the GIL it does nothing). Keeps errno. */
void cup_dask_lock_taken(void);

/* The same where locks are not seen: the method that the calling thread executes has ended. */
void cup_dask_actor_ends(enum cup_task_status status);

/* Called in a forked child: no task of the parent runs there. */
void cup_dask_child_begins(void);

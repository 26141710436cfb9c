/* The calls of Coffea's functions that read files: _work_function, which processes a chunk, and
 * metadata_fetcher. Where Dask runs them they are parts of Dask's tasks. Where another executor
 * does (IterativeExecutor, or FuturesExecutor and ParslExecutor with their threads or processes),
 * each call is a task of its own:
 *
 *   - It begins when the library first sees the function on the thread's stack: when the thread
 *     makes a lock, as uproot does before it opens a file, or reads a clock. From 3.14 on, locks
 *     are not seen, but the interpreter calls the library when the function begins.
 *   - Some readers (pyarrow) give the GIL up and make no lock before they open a file. Then the
 *     task begins when the thread opens a file of events: for that it takes the GIL for a moment.
 *   - A chunk ends at Coffea's clock call after process().
 *   - Any other call ends when the library sees that it is over; in a process of a pool that is at
 *     the lock that is taken to send the result.
 *
 * All functions need the guard, and the GIL unless stated. */
#pragma once

#include "include/log_format.h"
#include "preload/lifecycle/thread.h"
#include "preload/python/frames.h"
#include "preload/task/task.h"

/* True if calls of the calling thread are tasks of their own: it runs no task of Dask's. Needs
 * neither guard nor GIL. */
static inline bool cup_coffea_may_look(void)
{
    return (!cup_self.task || cup_self.origin == CUP_ORIGIN_COFFEA) && !cup_self.server_loop;
}

/* True if such a call is on the calling thread's stack that may be a new one, and has not come to
 * process() yet. Needs no GIL. */
bool cup_coffea_may_begin(void);

/* Looks for such a call on the calling thread's stack: begins its task, and ends the last one if
 * that is over. Without the GIL it does nothing. */
void cup_coffea_look(struct cup_moment now);

/* The same at NOW_NS (CLOCK_REALTIME), which is now: the thread's CPU clock is read only if there
 * is such a call. */
void cup_coffea_look_now(int64_t now_ns);

/* Coffea's _work_function read the clock, before (tic) or after (toc) it called process(). TOP: its
 * frame. */
void cup_coffea_clock(struct cup_frame top, struct cup_moment now);

/* FRAME, of one of the functions, has just begun: it is a new call, even if the last one had a
 * frame at this address, and the same work item. */
void cup_coffea_begins(struct cup_frame frame);

/* FRAME, of one of the functions, is about to return. Where this is called (from 3.14 on), a call
 * that is over without it raised an exception. */
void cup_coffea_returns(struct cup_frame frame);

/* Coffea's automatic_retries, in the frame RETRIES, is about to return: if the call's task is still
 * open, the call raised an exception, and its item is given up. Called where cup_coffea_returns()
 * is. */
void cup_coffea_given_up(struct cup_frame retries);

/* The calling thread, whose task is one of these calls, took a lock: the processes of a pool take
 * one when they send the result of a job, or its exception. */
void cup_coffea_lock_taken(void);

/* The job of concurrent.futures that the calling thread runs has ended, and with it its task, if
 * that is one of these calls. SETTER: the frame of the Future's method that sets its result, or its
 * exception (RAISED). */
void cup_coffea_job_ends(struct cup_frame setter, bool raised);

/* A row of the lifecycle table. */
void cup_coffea_calls_child_begins(void);

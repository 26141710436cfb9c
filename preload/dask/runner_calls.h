/* Calls of Coffea's Runner, in the client: when they began and ended, learned from any clock call
 * inside of them. Nothing is wrapped: a look at the thread's frames, once a millisecond at most and
 * only where Coffea is imported. */
#ifndef CUPPING_PRELOAD_DASK_RUNNER_CALLS_H
#define CUPPING_PRELOAD_DASK_RUNNER_CALLS_H

#include "preload/lifecycle/thread.h"

#include <stdbool.h>
#include <stdint.h>

/* Calls are looked for between tasks, and in those that Coffea's own clock opened. */
static inline bool cup_runner_call_may_check(void)
{
    return !cup_self.task || cup_self.origin == CUP_ORIGIN_COFFEA;
}

/* It is worth looking again, by the clock that the program read: each has a gate of its own. */
static inline bool cup_run_due(int64_t realtime_ns)
{
    return realtime_ns >= cup_self.run_next_ns;
}

static inline bool cup_run_due_monotonic(int64_t monotonic_ns)
{
    return __builtin_expect(monotonic_ns >= cup_self.run_next_monotonic_ns, 0);
}

/* The program read the clock, and it is NOW_NS of CLOCK_REALTIME. GIL, no exception pending.
 * Returns for how long there is nothing to be learned on this thread, in nanoseconds. */
int64_t cup_runner_call_check(int64_t now_ns);

/* A thread that waited in a call may end it without reading the clock: it looks when it next takes
 * and gives back locks, which it does with the GIL. Only at the stack: the interpreter may be
 * half-way through something. */
enum { CUP_RUN_LOOKS = 16 };

static inline void cup_run_waited(void)
{
    if (cup_self.run_call)
        cup_self.run_woken = CUP_RUN_LOOKS;
}

/* While cup_self.run_woken; guard held. */
void cup_run_woken(void);

/* In a forked child: the call below us on the stack is the parent's. */
void cup_run_child_begins(void);

#endif

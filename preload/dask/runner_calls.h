/* Calls of Coffea's Runner in the client: when they begin and end. Nothing in Coffea is wrapped.
 * Any clock call of the program's thread is an occasion to look for the Runner among the thread's
 * frames, at most once per millisecond (in threads that may be helpers of running tasks, once per
 * 10 ms), and only if Coffea is imported. */
#pragma once

#include "preload/lifecycle/thread.h"
#include "preload/sys/clock.h"

#include <stdbool.h>
#include <stdint.h>

/* What the calling thread knows of its Runner's call. */
struct cup_runner_thread {
    /* no check before these times, by CLOCK_REALTIME and by CLOCK_MONOTONIC: the times of the two
     * clocks cannot be compared */
    int64_t next_ns, next_monotonic_ns;
    int64_t outside_ns; /* when the thread was last seen outside of any call; 0: never */
    uint32_t call;      /* index + 1 of its call; 0: none */
    uint8_t woken;      /* looks left since it last waited: see CUP_RUN_LOOKS */
    bool parents;       /* in a forked child: a call further out on the stack is the parent's */
};
extern __thread struct cup_runner_thread cup_runner_self __attribute__((tls_model("initial-exec")))
CUP_OURS;

/* True if the thread is in no task, or in a call of Coffea's that is a task of its own (the Runner
 * may then run in this very thread). */
static inline bool cup_runner_call_may_check(void)
{
    return !cup_self.task || cup_self.origin == CUP_ORIGIN_COFFEA;
}

enum { CUP_RUN_SELDOM_NS = 50 * 1000 * 1000 }; /* the longest pause between two looks */

/* True if it is time to look again. */
static inline bool cup_run_due(int64_t now_ns)
{
    return cup_clock_pause_is_over(cup_runner_self.next_ns, now_ns, CUP_RUN_SELDOM_NS);
}
static inline bool cup_run_due_monotonic(int64_t monotonic_ns)
{
    return __builtin_expect(monotonic_ns >= cup_runner_self.next_monotonic_ns, 0);
}

/* Looks at the calling thread's frames. NOW_NS: CLOCK_REALTIME. Needs the GIL, with no exception
 * pending. Returns for how many nanoseconds looking again is not worthwhile. */
int64_t cup_runner_call_check(int64_t now_ns);

/* A Runner's call may end without another clock call after the thread's last wait. So after a wait,
 * the next CUP_RUN_LOOKS lock operations, which happen with the GIL, are occasions to look too.
 * They only read the stack: the interpreter may be in the middle of a change of its objects. */
enum { CUP_RUN_LOOKS = 16 };

static inline void cup_run_waited(void)
{
    if (cup_runner_self.call)
        cup_runner_self.woken = CUP_RUN_LOOKS;
}

/* Called while cup_runner_self.woken is not 0. The guard is held. */
void cup_run_woken(void);

/* A row of the lifecycle table: a Runner's call further out on a forked child's stack is the
 * parent's. */
void cup_run_child_begins(void);

/* The wrapper of clock_gettime(). Dask and Coffea time their work with it, at known places in their
 * code: these calls show when a task begins and ends. */
#include "preload/dask/clock_calls.h"
#include "preload/dask/runner_calls.h"
#include "preload/sys/hook_list.h"

CUP_HOOK int clock_gettime(clockid_t id, struct timespec *now)
{
    int result = CUP_REAL(clock_gettime)(id, now);
    if (result != 0)
        return result;
    if (id == CLOCK_REALTIME || id == CLOCK_THREAD_CPUTIME_ID)
        cup_clock_call(id, now, __builtin_return_address(0));
    else if (id == CLOCK_MONOTONIC && cup_run_due_monotonic(cup_clock_call_ns(now)))
        cup_clock_call_monotonic(now, __builtin_return_address(0));
    return result;
}

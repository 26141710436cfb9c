/* Clocks for the library's own use. Durations of calls are measured in ticks: of the time stamp
 * counter where it is invariant and the kernel trusts it, too (a pair of reads takes 8 ns instead
 * of 36), else of CLOCK_MONOTONIC. All functions are async-signal-safe except
 * cup_clock_calibrate(). */
#pragma once

#include "preload/sys/library_variable.h"

#include <stdbool.h>
#include <stdint.h>
#if defined(__x86_64__)
#include <x86intrin.h>
#endif

/* Nanoseconds. They bypass our own hook of clock_gettime(). */
int64_t cup_clock_realtime_ns(void);
int64_t cup_clock_monotonic_ns(void);
uint64_t cup_clock_thread_cpu_ns(void);
uint64_t cup_clock_process_cpu_ns(void);

/* One moment on both clocks of the calling thread, as close together as they can be read. */
struct cup_moment {
    int64_t time_ns; /* CLOCK_REALTIME */
    uint64_t cpu_ns; /* CLOCK_THREAD_CPUTIME_ID */
};

struct cup_tick_scale {
    int use_tsc;         /* 0: a tick is a nanosecond of CLOCK_MONOTONIC */
    uint64_t multiplier; /* nanoseconds = ticks * multiplier >> 32 */
    uint64_t base_ticks; /* the tick count when CLOCK_REALTIME was base_ns */
    int64_t base_ns;
};
extern struct cup_tick_scale cup_ticks_scale CUP_OURS;

/* Measures the ticks per nanosecond between the first call (at load) and this one (when a log is
 * opened). 1 ms gives a relative error of 1e-4. If less time has passed, waits until then; if it
 * may not wait, uses the kernel's clock instead. */
void cup_clock_calibrate(bool may_wait);

/* SOURCE, the kernel's clock source, is one that it uses where it does not trust the time stamp
 * counter. */
bool cup_clock_replaces_tsc(const char *source);

static inline uint64_t cup_ticks(void)
{
#if defined(__x86_64__)
    if (__builtin_expect(cup_ticks_scale.use_tsc, 1))
        return __rdtsc();
#endif
    return (uint64_t)cup_clock_monotonic_ns();
}

/* Converts a duration from ticks to nanoseconds. A negative one gives 0: the counters of two
 * processors may differ by a few ticks. */
static inline uint64_t cup_ticks_ns(uint64_t ticks)
{
    if (__builtin_expect((int64_t)ticks < 0, 0))
        return 0;
    return (uint64_t)(((unsigned __int128)ticks * cup_ticks_scale.multiplier) >> 32);
}

/* Converts a duration from nanoseconds to ticks, approximately. */
static inline uint64_t cup_ns_ticks(uint64_t ns)
{
    return (uint64_t)(((unsigned __int128)ns << 32) / cup_ticks_scale.multiplier);
}

/* START is a tick count that was read when cup_ticks_scale.use_tsc was BY_TSC. Returns that moment
 * in ticks as they are now: another thread may have opened the log since, which changes what a tick
 * is.
 */
static inline uint64_t cup_ticks_of(uint64_t start, int by_tsc)
{
    if (__builtin_expect(by_tsc == cup_ticks_scale.use_tsc, 1))
        return start;
    return cup_ticks() - cup_ns_ticks((uint64_t)cup_clock_monotonic_ns() - start);
}

/* Converts a tick count to CLOCK_REALTIME, in nanoseconds. Accurate enough for bins of 100 ms, as
 * long as cup_clock_follow() is called from time to time. */
static inline int64_t cup_ticks_realtime_ns(uint64_t ticks)
{
    return __atomic_load_n(&cup_ticks_scale.base_ns, __ATOMIC_RELAXED) +
           (int64_t)cup_ticks_ns(ticks - cup_ticks_scale.base_ticks);
}

/* Compares the ticks with CLOCK_REALTIME once more: it may have been set since. Any thread. */
void cup_clock_compare(void);

/* TIME_NS: CLOCK_REALTIME, read a moment ago. */
static inline void cup_clock_follow(int64_t time_ns)
{
    enum { APART_NS = 50000000 };
    int64_t apart_ns = cup_ticks_realtime_ns(cup_ticks()) - time_ns;
    if (__builtin_expect(apart_ns > APART_NS || apart_ns < -APART_NS, 0))
        cup_clock_compare();
}

/* True if a pause of at most LONGEST_NS that was to last UNTIL_NS (CLOCK_REALTIME) is over, or if
 * the clock was set back since it began. */
static inline bool cup_clock_pause_is_over(int64_t until_ns, int64_t now_ns, int64_t longest_ns)
{
    return now_ns >= until_ns || until_ns - now_ns > longest_ns;
}

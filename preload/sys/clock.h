/* Clocks for our own use. Durations of calls come from the time stamp counter where it is
 * invariant (8 ns instead of two times 18); everything else from the kernel's clocks. */
#ifndef CUPPING_PRELOAD_SYS_CLOCK_H
#define CUPPING_PRELOAD_SYS_CLOCK_H

#include "preload/sys/library_variable.h"

#include <stdbool.h>
#include <stdint.h>
#if defined(__x86_64__)
#include <x86intrin.h>
#endif

/* Past our own hook; nanoseconds. */
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
    uint64_t base_ticks; /* ticks at base_ns of CLOCK_REALTIME */
    int64_t base_ns;
};
extern struct cup_tick_scale cup_ticks_scale CUP_OURS;

/* Called at load, and again when a log is opened: the longer the time between, the better the
 * scale (1 ms gives 1e-4, and is waited for). A process that may not wait has the kernel's clock if
 * it is younger than that. */
void cup_clock_calibrate(bool may_wait);

static inline uint64_t cup_ticks(void)
{
#if defined(__x86_64__)
    if (__builtin_expect(cup_ticks_scale.use_tsc, 1))
        return __rdtsc();
#endif
    return (uint64_t)cup_clock_monotonic_ns();
}

/* Nanoseconds of a duration in ticks; 0 if it is negative, as between processors whose counters
 * are not quite the same. */
static inline uint64_t cup_ticks_ns(uint64_t ticks)
{
    if (__builtin_expect((int64_t)ticks < 0, 0))
        return 0;
    return (uint64_t)(((unsigned __int128)ticks * cup_ticks_scale.multiplier) >> 32);
}

/* The reverse; roughly. */
static inline uint64_t cup_ns_ticks(uint64_t ns)
{
    return (uint64_t)(((unsigned __int128)ns << 32) / cup_ticks_scale.multiplier);
}

/* Roughly now, in CLOCK_REALTIME nanoseconds, from a tick count: for bins of 100 ms. */
static inline int64_t cup_ticks_realtime_ns(uint64_t ticks)
{
    return cup_ticks_scale.base_ns + (int64_t)cup_ticks_ns(ticks - cup_ticks_scale.base_ticks);
}

#endif

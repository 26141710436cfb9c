/* The CPU time of the calling thread, from its clock or, where that could show nothing new, from
 * time stamps. Reading the clock is a system call (docs/waits.md says what it costs), and threads
 * that read files, or run jobs of microseconds, would read it ten thousand times a second. All
 * functions are async-signal-safe. */
#pragma once

#include "preload/sys/clock.h"
#include "preload/sys/library_variable.h"

#include <stdint.h>

/* Time off the CPU: the clock of ticks, in nanoseconds, less the thread's CPU time. Only
 * differences have a meaning. */
struct cup_thread_cpu {
    uint64_t off_ns; /* when the CPU clock was last read */
    uint32_t time;   /* and when that was: ticks / 1024, modulo 2^32; 0: the thread may have waited
                        since */
};
extern __thread struct cup_thread_cpu cup_cpu_self __attribute__((tls_model("initial-exec")))
CUP_OURS;

static inline uint32_t cup_coarse_time(uint64_t ticks)
{
    return (uint32_t)(ticks >> 10);
}

/* The thread may have waited. */
static inline void cup_cpu_waited(void)
{
    cup_cpu_self.time = 0;
}

/* In nanoseconds, by the clock. In a child of vfork(): CUP_UNKNOWN64, and nothing is noted. */
uint64_t cup_cpu_read(void);

/* The same. If the clock was read less than 50 us ago, and the thread has not waited since, it is
 * taken to have run all the time: too much by what the kernel took away of these 50 us. So it can
 * be later than what cup_cpu_read() returns next. */
uint64_t cup_cpu_recent(void);

/* CPU time, in nanoseconds, that the thread used since it was *COUNTED, which advances by that. It
 * never goes back, so no time counts twice. */
uint64_t cup_cpu_since(uint64_t *counted);

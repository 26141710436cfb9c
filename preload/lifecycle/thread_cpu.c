#include "preload/lifecycle/thread_cpu.h"

__thread struct cup_thread_cpu cup_cpu_self __attribute__((tls_model("initial-exec")));

uint64_t cup_cpu_read(void)
{
    uint64_t cpu_ns = cup_clock_thread_cpu_ns(), now = cup_ticks();
    cup_cpu_self.off_ns = cup_ticks_ns(now) - cpu_ns;
    cup_cpu_self.time = cup_coarse_time(now);
    return cpu_ns;
}

uint64_t cup_cpu_recent(void)
{
    enum { MOMENT_NS = 50000 };
    uint64_t now = cup_ticks();
    uint64_t since = (uint64_t)(cup_coarse_time(now) - cup_cpu_self.time) << 10;
    return cup_cpu_self.time && cup_ticks_ns(since) < MOMENT_NS
               ? cup_ticks_ns(now) - cup_cpu_self.off_ns
               : cup_cpu_read();
}

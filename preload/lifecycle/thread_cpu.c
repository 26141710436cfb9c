#include "preload/lifecycle/thread_cpu.h"

#include "preload/lifecycle/thread.h"
#include "preload/sys/raw.h"

__thread struct cup_thread_cpu cup_cpu_self __attribute__((tls_model("initial-exec")));

/* A child of vfork() has the variables of the thread that called vfork(), but a CPU clock of its
 * own, which began at 0. A thread that has used more CPU time than such a child may need is not
 * asked for its tid, because that is a system call. */
static bool is_vfork_child(uint64_t cpu_ns)
{
    enum { CHILD_MOST_NS = 100000000 };
    return cpu_ns < CHILD_MOST_NS && cup_self.state == CUP_THREAD_KNOWN &&
           (uint32_t)syscall(SYS_gettid) != cup_self.tid;
}

uint64_t cup_cpu_read(void)
{
    uint64_t cpu_ns = cup_clock_thread_cpu_ns(), now = cup_ticks();
    if (is_vfork_child(cpu_ns))
        return CUP_UNKNOWN64;
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

uint64_t cup_cpu_since(uint64_t *counted)
{
    uint64_t now = cup_cpu_recent(), used = now > *counted ? now - *counted : 0;
    if (now == CUP_UNKNOWN64)
        return 0;
    *counted += used;
    return used;
}

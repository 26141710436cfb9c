#include "preload/sys/clock.h"

#include "preload/sys/hook_list.h"
#include "preload/sys/raw.h"

#include <string.h>
#include <time.h>
#if defined(__x86_64__)
#include <cpuid.h>
#endif

struct cup_tick_scale cup_ticks_scale = {.multiplier = UINT64_C(1) << 32};

static int64_t clock_ns(clockid_t id)
{
    struct timespec now = {0, 0};
    CUP_REAL(clock_gettime)(id, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

int64_t cup_clock_realtime_ns(void)
{
    return clock_ns(CLOCK_REALTIME);
}

int64_t cup_clock_monotonic_ns(void)
{
    return clock_ns(CLOCK_MONOTONIC);
}

uint64_t cup_clock_thread_cpu_ns(void)
{
    return (uint64_t)clock_ns(CLOCK_THREAD_CPUTIME_ID);
}

uint64_t cup_clock_process_cpu_ns(void)
{
    return (uint64_t)clock_ns(CLOCK_PROCESS_CPUTIME_ID);
}

/* The kernel looks at these where the counters of the processors do not run together. */
bool cup_clock_replaces_tsc(const char *source)
{
    static const char *const others[] = {"hpet", "acpi_pm", "jiffies", "refined-jiffies", "pit"};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (strncmp(source, others[i], strlen(others[i])) == 0)
            return true;
    return false;
}

#if defined(__x86_64__)
static int tsc_is_invariant(void)
{
    unsigned a, b, c, d;
    return __get_cpuid(0x80000007, &a, &b, &c, &d) && (d & (1u << 8));
}

static bool kernel_trusts_tsc(void)
{
    char source[32];
    cup_raw_read_text("/sys/devices/system/clocksource/clocksource0/current_clocksource", source,
                      sizeof source);
    return !cup_clock_replaces_tsc(source);
}

/* Reads both clocks at the same moment: of five tries the one that took the least time. */
static void read_pair(uint64_t *ticks, int64_t *ns)
{
    uint64_t best = UINT64_MAX;
    for (int i = 0; i < 5; i++) {
        uint64_t before = __rdtsc();
        int64_t now = cup_clock_monotonic_ns();
        uint64_t after = __rdtsc();
        if (after - before < best) {
            best = after - before;
            *ticks = before + best / 2;
            *ns = now;
        }
    }
}
#endif

void cup_clock_compare(void)
{
    enum { TRIES = 5, AT_ONCE_NS = 1000000 };
    for (int i = 0; i < TRIES; i++) {
        uint64_t before = cup_ticks();
        int64_t now_ns = cup_clock_realtime_ns(), apart_ns = now_ns - cup_ticks_realtime_ns(before);
        if (cup_ticks_ns(cup_ticks() - before) > AT_ONCE_NS)
            continue;
        __atomic_fetch_add(&cup_ticks_scale.base_ns, apart_ns, __ATOMIC_RELAXED);
        return;
    }
}

void cup_clock_calibrate(bool may_wait)
{
    cup_ticks_scale = (struct cup_tick_scale){.multiplier = UINT64_C(1) << 32,
                                              .base_ticks = (uint64_t)cup_clock_monotonic_ns(),
                                              .base_ns = cup_clock_realtime_ns()};
#if defined(__x86_64__)
    enum { SHORTEST_NS = 1000000, MOST_TICKS = 100000000 };
    static uint64_t first_ticks;
    static int64_t first_ns, first_asleep_ns;
    uint64_t ticks = 0;
    int64_t ns = 0;
    read_pair(&ticks, &ns);
    int64_t asleep_ns = clock_ns(CLOCK_BOOTTIME) - ns;
    bool slept = asleep_ns - first_asleep_ns > SHORTEST_NS;
    bool is_first = !first_ns;
    if (is_first || slept) { /* in a suspended machine, the counter may go on or begin anew */
        first_ticks = ticks;
        first_ns = ns;
        first_asleep_ns = asleep_ns;
    }
    if (is_first)
        return;
    /* Takes 30 us in a virtual machine: not at each process's start. */
    if (!tsc_is_invariant() || !kernel_trusts_tsc())
        return;
    /* The clock may stand still, if another library has it in hand. */
    while (may_wait && ns - first_ns < SHORTEST_NS && ticks - first_ticks < MOST_TICKS)
        read_pair(&ticks, &ns);
    if (ns - first_ns < SHORTEST_NS || ticks <= first_ticks)
        return;
    double scale = (double)(ns - first_ns) / (double)(ticks - first_ticks);
    if (scale < 0.05 || scale > 5) /* 200 MHz to 20 GHz */
        return;
    cup_ticks_scale.multiplier = (uint64_t)(scale * 4294967296.0);
    cup_ticks_scale.base_ticks = ticks;
    cup_ticks_scale.base_ns = cup_clock_realtime_ns();
    cup_ticks_scale.use_tsc = 1;
#else
    (void)may_wait;
#endif
}

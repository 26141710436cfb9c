#include "preload/lifecycle/thread_cpu.h"

#include <criterion/criterion.h>
#include <time.h>

static void sleep_ms(long ms)
{
    nanosleep(&(struct timespec){.tv_nsec = ms * 1000000}, NULL);
}

Test(thread_cpu, of_a_moment_ago_is_between_two_readings)
{
    uint64_t before = cup_cpu_read();
    uint64_t recent = cup_cpu_recent();
    cr_expect_geq(recent, before);
    cr_expect_lt(recent, before + 1000000000);
}

Test(thread_cpu, is_read_again_after_a_while)
{
    uint64_t before = cup_cpu_read();
    sleep_ms(200); /* without cup_cpu_waited() */
    cr_expect_lt(cup_cpu_recent(), before + 100000000, "sleep is no CPU time");
}

Test(thread_cpu, is_read_again_after_a_wait)
{
    cup_cpu_read();
    cup_cpu_self.off_ns = 1; /* a time stamp would give another value */
    cup_cpu_waited();
    uint64_t recent = cup_cpu_recent();
    cr_expect_leq(recent, cup_clock_thread_cpu_ns());
    cr_expect_neq(cup_cpu_self.off_ns, 1);
    cr_expect_neq(cup_cpu_self.time, 0);
}

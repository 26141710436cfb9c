#include "preload/lifecycle/thread_cpu.h"

#include "preload/lifecycle/thread.h"

#include <criterion/criterion.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

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

/* It shares this thread's variables, but has a clock of its own. */
Test(thread_cpu, of_a_child_of_vfork_is_not_taken_for_the_threads)
{
    static uint64_t read;
    cr_assert_eq(cup_thread_init(), 0);
    cr_assert(cup_thread_known());
    cup_cpu_read();
    struct cup_thread_cpu before = cup_cpu_self;
    pid_t pid = vfork();
    if (pid == 0) {
        read = cup_cpu_read();
        _exit(0);
    }
    waitpid(pid, NULL, 0);
    cr_expect_eq(read, CUP_UNKNOWN64);
    cr_expect_eq(cup_cpu_self.off_ns, before.off_ns);
    cr_expect_eq(cup_cpu_self.time, before.time);
    cr_expect_neq(cup_cpu_read(), CUP_UNKNOWN64);
}

/* What was counted a moment ago may be later than what the clock says now. */
Test(thread_cpu, since_a_moment_ago_counts_once)
{
    uint64_t counted = 0, sum = cup_cpu_since(&counted);
    cr_expect_eq(sum, counted);
    counted += 1000000000;
    uint64_t ahead = counted;
    cr_expect_eq(cup_cpu_since(&counted), 0);
    cr_expect_eq(counted, ahead);
}

/* The policy of waits, on the test's own thread: a made-up block counts them. */
#include "tests/preload/waiting_task.h"

#include "preload/attribution/helper.h"
#include "preload/waits/wait.h"

#include <criterion/criterion.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

TestSuite(wait, .init = set_up, .fini = tear_down);

static void sleep_ms(long ms)
{
    nanosleep(&(struct timespec){.tv_nsec = ms * 1000000}, NULL);
}

static void burn_ms(uint64_t ms)
{
    uint64_t until = cup_clock_thread_cpu_ns() + ms * 1000000;
    while (cup_clock_thread_cpu_ns() < until)
        continue;
}

static uint64_t ms_of(const struct cup_block *of, enum cup_counter counter)
{
    return of->counters[counter] / 1000000;
}

Test(wait, is_wall_time_less_cpu_time)
{
    struct cup_wait wait;
    cr_assert(cup_wait_begin(&wait, CUP_WAIT_SLEEP, CUP_WAITS));
    burn_ms(20);
    sleep_ms(10);
    cup_wait_end(&wait);
    uint64_t slept = ms_of(&block, CUP_C_SLEEP_NS), delay = ms_of(&block, CUP_C_RUN_DELAY_NS);
    cr_expect(slept >= 9 && slept < 25, "%lu ms, delay %lu", (unsigned long)slept,
              (unsigned long)delay);
}

Test(wait, within_another_counts_once)
{
    struct {
        struct cup_wait inner, outer; /* the stack grows down */
    } waits;
    cr_assert(cup_wait_begin(&waits.outer, CUP_WAIT_POLL, CUP_WAITS));
    cr_expect_not(cup_wait_begin(&waits.inner, CUP_WAIT_SLEEP, CUP_WAITS));
    sleep_ms(5);
    cup_wait_end(&waits.outer);
    cr_expect_eq(block.counters[CUP_C_SLEEP_NS], 0);
    cr_expect(ms_of(&block, CUP_C_POLL_WAIT_NS) >= 4);
}

Test(wait, that_was_jumped_out_of_is_forgotten)
{
    struct {
        struct cup_wait deep, shallow;
    } waits;
    cr_assert(cup_wait_begin(&waits.deep, CUP_WAIT_POLL, CUP_WAITS));
    cr_assert(cup_wait_begin(&waits.shallow, CUP_WAIT_SLEEP, CUP_WAITS));
    sleep_ms(5);
    cup_wait_end(&waits.shallow);
    cr_expect_eq(block.counters[CUP_C_POLL_WAIT_NS], 0);
    cr_expect(ms_of(&block, CUP_C_SLEEP_NS) >= 4);
}

Test(wait, for_the_gil_is_counted_with_its_length)
{
    struct cup_wait wait;
    cr_assert(cup_wait_begin(&wait, CUP_WAIT_GIL, CUP_WAITS));
    sleep_ms(5);
    cup_wait_end(&wait);
    uint64_t ns = block.counters[CUP_C_GIL_WAIT_NS];
    cr_expect_eq(block.counters[CUP_C_GIL_WAITS], 1);
    cr_expect_eq(block.counters[CUP_C_GIL_LONGEST_NS], ns);
    cr_expect_eq(block.histograms[CUP_HISTOGRAM_GIL_WAIT][cup_bucket(ns)], 1);
}

static void wait_ms(enum cup_wait_class class, long ms)
{
    struct cup_wait wait;
    cr_assert(cup_wait_begin(&wait, class, CUP_WAITS));
    sleep_ms(ms);
    cup_wait_end(&wait);
}

/* Calls the policy directly, so that no time passes between two steps of 5 ms. */
static void gil_waits(uint64_t between_ns)
{
    struct cup_wait wait;
    cr_assert(cup_wait_begin(&wait, CUP_WAIT_GIL, CUP_WAITS));
    uint64_t start = wait.start, each = cup_ns_ticks(5000000);
    cup_wait_end_for(&wait, start + each, &block);
    cr_assert(cup_wait_begin(&wait, CUP_WAIT_GIL, CUP_WAITS));
    wait.start = start + each + cup_ns_ticks(between_ns);
    cup_wait_end_for(&wait, wait.start + each, &block);
}

Test(wait, for_the_gil_goes_on_after_five_milliseconds)
{
    gil_waits(1000);
    cr_expect_eq(block.counters[CUP_C_GIL_WAITS], 1);
    cr_expect(block.counters[CUP_C_GIL_LONGEST_NS] > 9000000);
    for (unsigned bucket = 0; bucket < CUP_BUCKETS; bucket++)
        cr_expect(block.histograms[CUP_HISTOGRAM_GIL_WAIT][bucket] <= 1);
}

Test(wait, for_the_gil_is_another_one_later)
{
    gil_waits(1000000);
    cr_expect_eq(block.counters[CUP_C_GIL_WAITS], 2);
    cr_expect(block.counters[CUP_C_GIL_LONGEST_NS] < 6000000);
}

/* Waits for the GIL of NS, one right after the other, until now. */
static void short_gil_waits(int count, uint64_t ns)
{
    for (uint64_t stop = cup_ticks(); count-- > 0; stop += cup_ns_ticks(20000))
        cup_wait_count_gil(stop - cup_ns_ticks(ns), stop);
}

/* What a thread that is not killed in between does with waits of half a millisecond. */
Test(wait, for_the_gil_counts_before_its_run_delay_is_known)
{
    wait_ms(CUP_WAIT_SLEEP, 2); /* reads the run delay */
    cup_wait_self.is_calm = true;
    short_gil_waits(8, 503000);
    cr_expect_eq(block.counters[CUP_C_GIL_WAIT_NS], cup_wait_self.short_ns);
    cr_expect(ms_of(&block, CUP_C_GIL_WAIT_NS) >= 3);
    cup_wait_self.delay_ns -= 2000000; /* as if 2 of the 4 ms were run delay */
    cup_wait_self.delay_off_ns -= 4000000;
    cup_wait_count_short();
    uint64_t left = block.counters[CUP_C_GIL_WAIT_NS];
    cr_expect(left > 1000000 && left < 2100000, "%lu ns", (unsigned long)left);
    cr_expect_eq(cup_wait_self.short_ns, 0);
    cr_expect_not(cup_wait_self.is_calm, "2 of 4 ms");
}

/* The run delay that comes later belongs to another block. */
Test(wait, for_the_gil_of_a_closed_block_stays_as_it_is)
{
    wait_ms(CUP_WAIT_SLEEP, 2);
    cup_wait_self.is_calm = true;
    short_gil_waits(8, 503000);
    uint64_t before = block.counters[CUP_C_GIL_WAIT_NS];
    block.sequence++;
    cup_wait_self.delay_ns -= 2000000;
    cup_wait_self.delay_off_ns -= 4000000;
    cup_wait_count_short();
    cr_expect_eq(block.counters[CUP_C_GIL_WAIT_NS], before);
}

/* On a machine with more threads than cores, helpers' run delay is read after each wait. */
Test(wait, for_the_gil_of_a_helper_is_exact_when_cores_are_short)
{
    wait_ms(CUP_WAIT_SLEEP, 2);
    block.own = CUP_BLOCK_HELPS;
    block.counters[CUP_C_RUN_DELAY_NS] = 0;
    cup_wait_self.is_calm = false;
    short_gil_waits(1, 503000);
    cr_expect_eq(cup_wait_self.short_ns, 0);
    uint64_t ns = block.counters[CUP_C_GIL_WAIT_NS] + block.counters[CUP_C_RUN_DELAY_NS];
    cr_expect(ns > 499000 && ns < 501000, "%lu ns", (unsigned long)ns);
    cup_wait_self.is_calm = true;
    short_gil_waits(1, 503000);
    cr_expect(cup_wait_self.short_ns > 490000);
}

Test(wait, for_the_gil_is_counted_later_only_if_it_is_short)
{
    wait_ms(CUP_WAIT_SLEEP, 2);
    cup_wait_self.is_calm = true;
    short_gil_waits(8, 5000000);
    cr_expect(cup_wait_self.short_ns > 39000000, "less than fifty milliseconds");
    cup_wait_self.is_calm = true;
    short_gil_waits(1, 11000000);
    cr_expect_eq(cup_wait_self.short_ns, 0, "a single one of ten");
}

/* The waits before it are as long together as they may be. */
Test(wait, short_gil_wait_counts_those_before_it_if_their_sum_is_too_long)
{
    wait_ms(CUP_WAIT_SLEEP, 2);
    cup_wait_self.is_calm = true;
    short_gil_waits(1, 503000);
    cup_wait_self.short_ns = 49999000;
    short_gil_waits(1, 8000);
    cr_expect_eq(cup_wait_self.short_ns, 0, "%u ns", cup_wait_self.short_ns);
}

Test(wait, of_a_task_has_its_run_delay_at_the_end)
{
    cup_wait_self.usage.delay_ns -= 2000000; /* as if 2 ms came, off the CPU, since the begin */
    cup_wait_self.delay_ns -= 2000000;
    cup_wait_self.delay_off_ns -= 2000000;
    cup_wait_task_ends(TASK, 0);
    cr_expect(ms_of(&block, CUP_C_RUN_DELAY_NS) >= 2);
}

/* The CPU clock is not read at the begin, so the time since the wait before must not count. */
Test(wait, right_after_another_is_wall_time_less_cpu_time)
{
    struct cup_wait wait;
    for (int i = 0; i < 3; i++) {
        cr_assert(cup_wait_begin(&wait, CUP_WAIT_LOCK, CUP_WAITS));
        burn_ms(5);
        cup_wait_end(&wait);
    }
    uint64_t ns = block.counters[CUP_C_LOCK_WAIT_NS];
    cr_expect(ns < 3000000, "%lu ns", (unsigned long)ns);
}

/* A signal handler on a stack of its own, which lies at a higher address. */
Test(wait, that_a_handler_took_the_place_of_does_not_count_twice)
{
    struct {
        struct cup_wait low, high;
    } waits;
    cr_assert(cup_wait_begin(&waits.low, CUP_WAIT_LOCK, CUP_WAITS));
    cr_assert(cup_wait_begin(&waits.high, CUP_WAIT_SLEEP, CUP_WAITS));
    sleep_ms(5);
    cup_wait_end(&waits.high);
    cup_wait_end(&waits.low);
    cr_expect_eq(block.counters[CUP_C_LOCK_WAIT_NS], 0);
    cr_expect(ms_of(&block, CUP_C_SLEEP_NS) >= 4);
}

Test(wait, of_a_helper_between_two_jobs_is_idleness)
{
    struct cup_wait wait;
    cup_self.own = NULL;
    cup_self.task = 0;
    cup_self.handed = TASK;
    cup_helper_self.job_runs = false;
    cr_expect_not(cup_wait_begin(&wait, CUP_WAIT_LOCK, CUP_WAITS));
}

Test(wait, a_thread_that_ends_in_its_task_gives_its_place_back)
{
    cup_wait_thread_ends();
    cup_helper_wait_begin(TASK + 256);
    uint64_t since = cup_helper_wait_enters(TASK + 256, CUP_WAIT_IO, 10);
    cup_helper_wait_task_blocks(TASK + 256, CUP_WAIT_LOCK, 10);
    cup_helper_wait_leaves(TASK + 256, CUP_WAIT_IO, 30, since, 0);
    cr_expect_eq(cup_helper_wait_task_resumes(TASK + 256, 30).ticks[CUP_WAIT_IO], 20);
}

Test(wait, run_delay_before_it_is_not_in_it)
{
    wait_ms(CUP_WAIT_SLEEP, 2);
    cup_wait_self.delay_ns -=
        50000000; /* as if 50 ms of it came since, and 10 ms of something else */
    cup_wait_self.delay_off_ns -= 60000000;
    uint64_t now = cup_ticks();
    cup_wait_guess(&block, CUP_WAIT_IO, now - cup_ns_ticks(10000000), now, 0);
    cr_expect(ms_of(&block, CUP_C_IO_WAIT_NS) >= 8);
}

Test(wait, that_was_not_expected_is_guessed_unless_it_is_short)
{
    uint64_t start = cup_ticks();
    cup_wait_guess(&block, CUP_WAIT_IO, start, start + cup_ns_ticks(20000), 5000);
    cr_expect_eq(block.counters[CUP_C_IO_WAIT_NS], 0);
    cup_wait_guess(&block, CUP_WAIT_IO, start, start + cup_ns_ticks(8000000), 1000000);
    uint64_t guessed = block.counters[CUP_C_GUESSED_WAIT_NS];
    cr_expect_eq(block.counters[CUP_C_IO_WAIT_NS], guessed);
    guessed += block.counters[CUP_C_RUN_DELAY_NS];
    cr_expect(guessed > 6990000 && guessed < 7010000, "%lu ns", (unsigned long)guessed);
}

Test(wait, of_a_call_that_seldom_blocks)
{
    struct cup_wait wait;
    cr_assert(cup_wait_begin(&wait, CUP_WAIT_IO, CUP_MAY_WAIT));
    sleep_ms(5);
    cup_wait_end(&wait);
    cr_expect(ms_of(&block, CUP_C_IO_WAIT_NS) >= 4);
}

Test(wait, of_a_thread_that_never_waited_is_without_its_run_delay)
{
    struct cup_wait wait;
    cup_wait_self.delay_off_ns = 0;
    cr_assert(cup_wait_begin(&wait, CUP_WAIT_IO, CUP_MAY_WAIT));
    sleep_ms(10);
    cup_wait_self.delay_ns -= 5000000; /* as if 5 of the 10 ms were run delay */
    cup_wait_end(&wait);
    cr_expect(block.counters[CUP_C_RUN_DELAY_NS] > 4900000, "%lu ns",
              (unsigned long)block.counters[CUP_C_RUN_DELAY_NS]);
}

Test(wait, for_a_helper_is_what_the_helper_waits_for)
{
    struct cup_wait wait;
    cr_assert(cup_wait_begin(&wait, CUP_WAIT_LOCK, CUP_WAITS));
    uint64_t since = cup_helper_wait_enters(TASK, CUP_WAIT_IO, cup_ticks());
    sleep_ms(10);
    cup_helper_wait_leaves(TASK, CUP_WAIT_IO, cup_ticks(), since, 0);
    sleep_ms(10);
    cup_wait_end(&wait);
    uint64_t io = ms_of(&block, CUP_C_IO_WAIT_NS), lock = ms_of(&block, CUP_C_LOCK_WAIT_NS);
    uint64_t delay = ms_of(&block, CUP_C_RUN_DELAY_NS);
    cr_expect(io + delay >= 9 && io + lock + delay >= 18 && lock > 0, "%lu and %lu, delay %lu ms",
              (unsigned long)io, (unsigned long)lock, (unsigned long)delay);
    cr_expect_eq(block.counters[CUP_C_HELD_UP_NS], block.counters[CUP_C_IO_WAIT_NS]);
}

/* A request is out for the whole of the next wait for a lock, and is answered AFTER it began. */
static void wait_for_server(long answered_ms, long rest_ms)
{
    struct cup_wait wait;
    struct cup_task_clock sent = cup_helper_wait_clock(TASK, cup_ticks());
    cr_assert(cup_wait_begin(&wait, CUP_WAIT_LOCK, CUP_WAITS));
    sleep_ms(answered_ms);
    cup_helper_wait_served(TASK, &sent, cup_ticks(), 0);
    sleep_ms(rest_ms);
    cup_wait_end(&wait);
}

Test(wait, for_a_lock_while_a_request_is_out_is_one_for_its_server)
{
    wait_ms(CUP_WAIT_LOCK, 10);
    wait_for_server(30, 10);
    wait_ms(CUP_WAIT_LOCK, 10);
    uint64_t poll = ms_of(&block, CUP_C_POLL_WAIT_NS), lock = ms_of(&block, CUP_C_LOCK_WAIT_NS);
    uint64_t delay = ms_of(&block, CUP_C_RUN_DELAY_NS);
    cr_expect(poll + delay >= 29 && lock + delay >= 29, "%lu and %lu, delay %lu ms",
              (unsigned long)poll, (unsigned long)lock, (unsigned long)delay);
    cr_expect_eq(block.counters[CUP_C_HELD_UP_NS], block.counters[CUP_C_POLL_WAIT_NS]);
}

/* An event is awaited in steps, and the answer comes when the task does not wait. */
Test(wait, for_a_server_is_settled_when_the_task_ends)
{
    struct cup_task_clock sent = cup_helper_wait_clock(TASK, cup_ticks());
    wait_ms(CUP_WAIT_LOCK, 10);
    wait_ms(CUP_WAIT_LOCK, 10);
    uint64_t lock = block.counters[CUP_C_LOCK_WAIT_NS];
    cup_helper_wait_served(TASK, &sent, cup_ticks(), 0);
    cup_wait_task_ends(TASK, 0);
    cr_expect_eq(block.counters[CUP_C_LOCK_WAIT_NS] + block.counters[CUP_C_POLL_WAIT_NS], lock);
    cr_expect(block.counters[CUP_C_POLL_WAIT_NS] > block.counters[CUP_C_LOCK_WAIT_NS]);
}

/* As CPython's subprocess does when the program cannot be executed: the child closes all
 * descriptors and writes into a pipe. */
static void vfork_and_wait(void)
{
    pid_t pid = vfork();
    if (pid == 0) {
        struct cup_wait wait;
        syscall(SYS_close_range, 3, ~0u, 0);
        bool begun = cup_wait_begin(&wait, CUP_WAIT_POLL, CUP_WAITS);
        sleep_ms(2);
        if (begun)
            cup_wait_end(&wait);
        _exit(0);
    }
    waitpid(pid, NULL, 0);
}

Test(wait, in_a_child_of_vfork_is_not_measured)
{
    wait_ms(CUP_WAIT_SLEEP, 2); /* reads the run delay */
    struct cup_wait_thread before = cup_wait_self;
    vfork_and_wait();
    cr_expect_eq(block.counters[CUP_C_POLL_WAIT_NS], 0);
    cr_expect_eq(cup_wait_self.delay_ns, before.delay_ns);
    cr_expect_eq(cup_wait_self.delay_off_ns, before.delay_off_ns);
    cr_expect_neq(cup_run_delay_ns(), CUP_UNKNOWN64, "the descriptor is still the library's");
}

Test(wait, guessed_wait_in_a_child_of_vfork_is_not_counted)
{
    wait_ms(CUP_WAIT_SLEEP, 2);
    pid_t pid = vfork();
    if (pid == 0) {
        uint64_t stop = cup_ticks();
        cup_wait_guess(&block, CUP_WAIT_IO, stop - cup_ns_ticks(10000000), stop, 0);
        _exit(0);
    }
    waitpid(pid, NULL, 0);
    cr_expect_eq(block.counters[CUP_C_IO_WAIT_NS], 0);
}

Test(wait, nobodys_is_not_measured)
{
    struct cup_wait wait;
    cup_self.own = NULL;
    cup_self.task = 0;
    cr_expect_not(cup_wait_begin(&wait, CUP_WAIT_SLEEP, CUP_WAITS));
}

Test(wait, what_the_kernel_says_of_a_task)
{
    cr_assert_neq(cup_run_delay_ns(), CUP_UNKNOWN64);
    volatile char *pages = malloc(1 << 22);
    for (int i = 0; i < 1 << 22; i += 4096)
        pages[i] = 1;
    cup_wait_task_ends(TASK, 0);
    cr_expect(block.counters[CUP_C_MINOR_FAULTS] > 0);
    free((void *)pages);
}

Test(buckets, two_to_each_power_of_two_without_a_gap)
{
    cr_expect_eq(cup_bucket(0), 0);
    cr_expect_eq(cup_bucket(UINT64_MAX), CUP_BUCKETS - 1);
    for (unsigned bucket = 1; bucket < CUP_BUCKETS; bucket++) {
        uint64_t from = cup_bucket_from_ns(bucket);
        cr_expect_eq(cup_bucket(from), bucket);
        cr_expect_eq(cup_bucket(from - 1), bucket - 1);
    }
    cr_expect_eq(cup_bucket_from_ns(2), 512);
    cr_expect_eq(cup_bucket_from_ns(3), 768);
}

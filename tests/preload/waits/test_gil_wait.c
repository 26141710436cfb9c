/* When a wait for the GIL is counted, on the test's own thread: a made-up block counts it. */
#include "tests/preload/waiting_task.h"

#include "preload/waits/gil_wait.h"

#include <criterion/criterion.h>
#include <string.h>
#include <time.h>

static char gil_mutex[8], switch_mutex[8];

TestSuite(gil_wait, .init = set_up, .fini = tear_down);

static void wait_ms(const void *mutex, long ms)
{
    struct cup_wait room;
    cr_assert(cup_gil_wait_begins(&room, mutex));
    cr_expect_neq(cup_wait_self.waiting, 0, "the sampler knows that the thread is blocked");
    nanosleep(&(struct timespec){.tv_nsec = ms * 1000000}, NULL);
    cup_gil_wait_ends();
    cr_expect_eq(cup_wait_self.waiting, 0);
}

static uint64_t count_waits(void)
{
    return block.counters[CUP_C_GIL_WAITS];
}

Test(gil_wait, is_counted_when_its_mutex_is_unlocked)
{
    wait_ms(gil_mutex, 5);
    wait_ms(gil_mutex, 5);
    cr_expect_eq(count_waits(), 0);
    cup_gil_wait_unlocked(gil_mutex);
    uint64_t delay = block.counters[CUP_C_RUN_DELAY_NS];
    cr_expect_eq(count_waits(), 1, "two steps are one wait");
    cr_expect(block.counters[CUP_C_GIL_LONGEST_NS] + delay > 9000000);
    cup_gil_wait_unlocked(gil_mutex);
    cr_expect_eq(count_waits(), 1);
}

Test(gil_wait, goes_on_while_another_mutex_is_unlocked)
{
    wait_ms(gil_mutex, 1);
    wait_ms(switch_mutex, 1);
    cup_gil_wait_unlocked(switch_mutex);
    cr_expect_eq(count_waits(), 0);
    cup_gil_wait_unlocked(gil_mutex);
    cr_expect_eq(count_waits(), 1);
}

/* It is counted in pieces, so that a worker that is killed has most of it. */
Test(gil_wait, of_long_is_one_wait)
{
    wait_ms(gil_mutex, 80);
    cr_expect_eq(count_waits(), 1);
    uint64_t so_far = block.counters[CUP_C_GIL_WAIT_NS];
    wait_ms(gil_mutex, 5);
    cup_gil_wait_unlocked(gil_mutex);
    cr_expect(block.counters[CUP_C_GIL_WAIT_NS] >= so_far);
}

Test(gil_wait, of_a_log_that_was_closed_is_not_counted)
{
    wait_ms(gil_mutex, 1);
    *cup_active_word = 0;
    cup_gil_wait_unlocked(gil_mutex);
    *cup_active_word = 1;
    cup_gil_wait_unlocked(gil_mutex);
    cr_expect_eq(count_waits(), 0);
}

Test(gil_wait, inside_the_library_is_none)
{
    struct cup_wait room;
    cup_guard();
    cr_expect_not(cup_gil_wait_begins(&room, gil_mutex));
    cup_unguard();
}

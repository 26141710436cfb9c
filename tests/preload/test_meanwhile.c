/* What a task's helpers wait for while it waits in a lock. Times are ticks, made up here. */
#include "preload/meanwhile.h"

#include <criterion/criterion.h>

enum { TASK = 7, OTHER = 8, SAME_PLACE = 7 + 256 };

static void set_up(void)
{
    cup_meanwhile_reset();
    cup_meanwhile_begin(TASK);
}

TestSuite(meanwhile, .init = set_up);

static void expect(uint64_t stop, uint64_t io, uint64_t gil, uint64_t poll)
{
    struct cup_meanwhile times = cup_meanwhile_unlock(TASK, stop);
    cr_expect_eq(times.ticks[CUP_WAIT_IO], io, "%lu", (unsigned long)times.ticks[CUP_WAIT_IO]);
    cr_expect_eq(times.ticks[CUP_WAIT_GIL], gil, "%lu", (unsigned long)times.ticks[CUP_WAIT_GIL]);
    cr_expect_eq(times.ticks[CUP_WAIT_POLL], poll, "%lu",
                 (unsigned long)times.ticks[CUP_WAIT_POLL]);
}

Test(meanwhile, a_helpers_wait_within_the_lock)
{
    cup_meanwhile_lock(TASK, 100);
    uint64_t since = cup_meanwhile_enters(TASK, CUP_WAIT_IO, 110);
    cup_meanwhile_leaves(TASK, CUP_WAIT_IO, 150, since, 0);
    expect(160, 40, 0, 0);
}

Test(meanwhile, only_what_overlaps_counts)
{
    uint64_t since = cup_meanwhile_enters(TASK, CUP_WAIT_IO, 50);
    cup_meanwhile_lock(TASK, 100);
    expect(130, 30, 0, 0);
    cup_meanwhile_lock(TASK, 140); /* as a lock is waited for again and again, with a timeout */
    expect(200, 60, 0, 0);
    cup_meanwhile_leaves(TASK, CUP_WAIT_IO, 230, since, 0);
}

Test(meanwhile, of_two_helpers_time_counts_once)
{
    cup_meanwhile_lock(TASK, 100);
    uint64_t one = cup_meanwhile_enters(TASK, CUP_WAIT_IO, 100);
    uint64_t two = cup_meanwhile_enters(TASK, CUP_WAIT_IO, 120);
    cup_meanwhile_leaves(TASK, CUP_WAIT_IO, 150, one, 0);
    cup_meanwhile_leaves(TASK, CUP_WAIT_IO, 170, two, 0);
    expect(200, 70, 0, 0);
}

Test(meanwhile, files_come_before_the_gil_and_sockets)
{
    cup_meanwhile_lock(TASK, 100);
    uint64_t poll = cup_meanwhile_enters(TASK, CUP_WAIT_POLL, 100);
    uint64_t gil = cup_meanwhile_enters(TASK, CUP_WAIT_GIL, 120);
    uint64_t io = cup_meanwhile_enters(TASK, CUP_WAIT_IO, 130);
    cup_meanwhile_leaves(TASK, CUP_WAIT_IO, 150, io, 0);
    cup_meanwhile_leaves(TASK, CUP_WAIT_GIL, 160, gil, 0);
    cup_meanwhile_leaves(TASK, CUP_WAIT_POLL, 200, poll, 0);
    expect(200, 20, 20, 60);
}

Test(meanwhile, what_was_cpu_after_all_is_taken_back)
{
    cup_meanwhile_lock(TASK, 100);
    uint64_t since = cup_meanwhile_enters(TASK, CUP_WAIT_IO, 110);
    cup_meanwhile_leaves(TASK, CUP_WAIT_IO, 150, since, 30);
    expect(160, 10, 0, 0);
}

Test(meanwhile, no_more_is_taken_back_than_was_counted)
{
    cup_meanwhile_waited(TASK, CUP_WAIT_IO, 5);
    cup_meanwhile_lock(TASK, 100);
    uint64_t since = cup_meanwhile_enters(TASK, CUP_WAIT_IO, 110);
    cup_meanwhile_leaves(TASK, CUP_WAIT_IO, 150, since, 1000);
    cup_meanwhile_waited(TASK, CUP_WAIT_IO, 7);
    expect(160, 7, 0, 0);
}

Test(meanwhile, clocks_of_two_cores_may_differ)
{
    cup_meanwhile_lock(TASK, 100);
    uint64_t since = cup_meanwhile_enters(TASK, CUP_WAIT_IO, 90);
    cup_meanwhile_leaves(TASK, CUP_WAIT_IO, 80, since, 0);
    expect(70, 0, 0, 0);
}

Test(meanwhile, tasks_are_told_apart)
{
    cup_meanwhile_begin(OTHER);
    cup_meanwhile_begin(SAME_PLACE); /* finds none */
    cup_meanwhile_lock(TASK, 100);
    uint64_t other = cup_meanwhile_enters(OTHER, CUP_WAIT_IO, 100);
    uint64_t same = cup_meanwhile_enters(SAME_PLACE, CUP_WAIT_IO, 100);
    cup_meanwhile_leaves(OTHER, CUP_WAIT_IO, 150, other, 0);
    cup_meanwhile_leaves(SAME_PLACE, CUP_WAIT_IO, 150, same, 0);
    expect(160, 0, 0, 0);
}

Test(meanwhile, a_place_is_used_again)
{
    uint64_t left = cup_meanwhile_enters(TASK, CUP_WAIT_IO, 10); /* a helper that outlives it */
    cup_meanwhile_end(TASK);
    cup_meanwhile_begin(SAME_PLACE);
    cup_meanwhile_lock(SAME_PLACE, 100);
    cup_meanwhile_leaves(TASK, CUP_WAIT_IO, 150, left, 0);
    struct cup_meanwhile times = cup_meanwhile_unlock(SAME_PLACE, 160);
    cr_expect_eq(times.ticks[CUP_WAIT_IO], 0);
}

/* What a task's helpers wait for while the task waits for a lock. Times are made-up ticks. */
#include "preload/waits/helper_wait.h"

#include <criterion/criterion.h>

enum { TASK = 7, OTHER = 8, SAME_PLACE = 7 + 256 };

static void set_up(void)
{
    cup_helper_wait_reset();
    cup_helper_wait_begin(TASK);
}

TestSuite(helper_wait, .init = set_up);

static void expect(uint64_t stop, uint64_t io, uint64_t gil, uint64_t poll)
{
    struct cup_helper_wait times = cup_helper_wait_task_resumes(TASK, stop);
    cr_expect_eq(times.ticks[CUP_WAIT_IO], io, "%lu", (unsigned long)times.ticks[CUP_WAIT_IO]);
    cr_expect_eq(times.ticks[CUP_WAIT_GIL], gil, "%lu", (unsigned long)times.ticks[CUP_WAIT_GIL]);
    cr_expect_eq(times.ticks[CUP_WAIT_POLL], poll, "%lu",
                 (unsigned long)times.ticks[CUP_WAIT_POLL]);
}

Test(helper_wait, a_helpers_wait_within_the_lock)
{
    cup_helper_wait_task_blocks(TASK, 100);
    uint64_t since = cup_helper_wait_enters(TASK, CUP_WAIT_IO, 110);
    cup_helper_wait_leaves(TASK, CUP_WAIT_IO, 150, since, 0);
    expect(160, 40, 0, 0);
}

Test(helper_wait, only_what_overlaps_counts)
{
    uint64_t since = cup_helper_wait_enters(TASK, CUP_WAIT_IO, 50);
    cup_helper_wait_task_blocks(TASK, 100);
    expect(130, 30, 0, 0);
    /* The task waits for its lock with a timeout, again and again. */
    cup_helper_wait_task_blocks(TASK, 140);
    expect(200, 60, 0, 0);
    cup_helper_wait_leaves(TASK, CUP_WAIT_IO, 230, since, 0);
}

Test(helper_wait, of_two_helpers_time_counts_once)
{
    cup_helper_wait_task_blocks(TASK, 100);
    uint64_t one = cup_helper_wait_enters(TASK, CUP_WAIT_IO, 100);
    uint64_t two = cup_helper_wait_enters(TASK, CUP_WAIT_IO, 120);
    cup_helper_wait_leaves(TASK, CUP_WAIT_IO, 150, one, 0);
    cup_helper_wait_leaves(TASK, CUP_WAIT_IO, 170, two, 0);
    expect(200, 70, 0, 0);
}

Test(helper_wait, files_come_before_the_gil_and_sockets)
{
    cup_helper_wait_task_blocks(TASK, 100);
    uint64_t poll = cup_helper_wait_enters(TASK, CUP_WAIT_POLL, 100);
    uint64_t gil = cup_helper_wait_enters(TASK, CUP_WAIT_GIL, 120);
    uint64_t io = cup_helper_wait_enters(TASK, CUP_WAIT_IO, 130);
    cup_helper_wait_leaves(TASK, CUP_WAIT_IO, 150, io, 0);
    cup_helper_wait_leaves(TASK, CUP_WAIT_GIL, 160, gil, 0);
    cup_helper_wait_leaves(TASK, CUP_WAIT_POLL, 200, poll, 0);
    expect(200, 20, 20, 60);
}

Test(helper_wait, cpu_time_is_subtracted_again)
{
    cup_helper_wait_task_blocks(TASK, 100);
    uint64_t since = cup_helper_wait_enters(TASK, CUP_WAIT_IO, 110);
    cup_helper_wait_leaves(TASK, CUP_WAIT_IO, 150, since, 30);
    expect(160, 10, 0, 0);
}

Test(helper_wait, no_more_is_subtracted_than_was_counted)
{
    cup_helper_wait_waited(TASK, CUP_WAIT_IO, 5);
    cup_helper_wait_task_blocks(TASK, 100);
    uint64_t since = cup_helper_wait_enters(TASK, CUP_WAIT_IO, 110);
    cup_helper_wait_leaves(TASK, CUP_WAIT_IO, 150, since, 1000);
    cup_helper_wait_waited(TASK, CUP_WAIT_IO, 7);
    expect(160, 7, 0, 0);
}

Test(helper_wait, clocks_of_two_cores_may_differ)
{
    cup_helper_wait_task_blocks(TASK, 100);
    uint64_t since = cup_helper_wait_enters(TASK, CUP_WAIT_IO, 90);
    cup_helper_wait_leaves(TASK, CUP_WAIT_IO, 80, since, 0);
    expect(70, 0, 0, 0);
}

Test(helper_wait, tasks_are_kept_apart)
{
    cup_helper_wait_begin(OTHER);
    cup_helper_wait_begin(SAME_PLACE); /* finds none */
    cup_helper_wait_task_blocks(TASK, 100);
    uint64_t other = cup_helper_wait_enters(OTHER, CUP_WAIT_IO, 100);
    uint64_t same = cup_helper_wait_enters(SAME_PLACE, CUP_WAIT_IO, 100);
    cup_helper_wait_leaves(OTHER, CUP_WAIT_IO, 150, other, 0);
    cup_helper_wait_leaves(SAME_PLACE, CUP_WAIT_IO, 150, same, 0);
    expect(160, 0, 0, 0);
}

Test(helper_wait, a_place_is_used_again)
{
    uint64_t left = cup_helper_wait_enters(TASK, CUP_WAIT_IO, 10); /* a helper that outlives it */
    cup_helper_wait_end(TASK);
    cup_helper_wait_begin(SAME_PLACE);
    cup_helper_wait_task_blocks(SAME_PLACE, 100);
    cup_helper_wait_leaves(TASK, CUP_WAIT_IO, 150, left, 0);
    struct cup_helper_wait times = cup_helper_wait_task_resumes(SAME_PLACE, 160);
    cr_expect_eq(times.ticks[CUP_WAIT_IO], 0);
}

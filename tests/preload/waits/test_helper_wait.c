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
    cup_helper_wait_task_blocks(TASK, CUP_WAIT_LOCK, 100);
    uint64_t since = cup_helper_wait_enters(TASK, CUP_WAIT_IO, 110);
    cup_helper_wait_leaves(TASK, CUP_WAIT_IO, 150, since, 0);
    expect(160, 40, 0, 0);
}

Test(helper_wait, only_what_overlaps_counts)
{
    uint64_t since = cup_helper_wait_enters(TASK, CUP_WAIT_IO, 50);
    cup_helper_wait_task_blocks(TASK, CUP_WAIT_LOCK, 100);
    expect(130, 30, 0, 0);
    /* The task waits for its lock with a timeout, again and again. */
    cup_helper_wait_task_blocks(TASK, CUP_WAIT_LOCK, 140);
    expect(200, 60, 0, 0);
    cup_helper_wait_leaves(TASK, CUP_WAIT_IO, 230, since, 0);
}

Test(helper_wait, of_two_helpers_time_counts_once)
{
    cup_helper_wait_task_blocks(TASK, CUP_WAIT_LOCK, 100);
    uint64_t one = cup_helper_wait_enters(TASK, CUP_WAIT_IO, 100);
    uint64_t two = cup_helper_wait_enters(TASK, CUP_WAIT_IO, 120);
    cup_helper_wait_leaves(TASK, CUP_WAIT_IO, 150, one, 0);
    cup_helper_wait_leaves(TASK, CUP_WAIT_IO, 170, two, 0);
    expect(200, 70, 0, 0);
}

Test(helper_wait, files_come_before_sockets)
{
    cup_helper_wait_task_blocks(TASK, CUP_WAIT_LOCK, 100);
    uint64_t poll = cup_helper_wait_enters(TASK, CUP_WAIT_POLL, 100);
    uint64_t io = cup_helper_wait_enters(TASK, CUP_WAIT_IO, 130);
    cup_helper_wait_leaves(TASK, CUP_WAIT_IO, 150, io, 0);
    cup_helper_wait_leaves(TASK, CUP_WAIT_POLL, 200, poll, 0);
    expect(200, 20, 0, 80);
}

Test(helper_wait, files_come_before_the_gil)
{
    cup_helper_wait_task_blocks(TASK, CUP_WAIT_LOCK, 100);
    for (unsigned at = 130; at < 150; at += 10) {
        uint64_t io = cup_helper_wait_enters(TASK, CUP_WAIT_IO, at);
        cup_helper_wait_leaves(TASK, CUP_WAIT_IO, at + 5, io, 0);
    }
    cup_helper_wait_waited(TASK, CUP_WAIT_GIL, 40, 160);
    expect(200, 10, 30, 0);
}

Test(helper_wait, a_file_that_a_helper_still_waits_for_comes_before_the_gil)
{
    cup_helper_wait_task_blocks(TASK, CUP_WAIT_LOCK, 100);
    cup_helper_wait_enters(TASK, CUP_WAIT_IO, 130);
    cup_helper_wait_waited(TASK, CUP_WAIT_GIL, 40, 160);
    expect(200, 70, 10, 0);
}

Test(helper_wait, for_the_gil_of_several_helpers_counts_once)
{
    cup_helper_wait_task_blocks(TASK, CUP_WAIT_LOCK, 100);
    cup_helper_wait_waited(TASK, CUP_WAIT_GIL, 10, 120);
    cup_helper_wait_waited(TASK, CUP_WAIT_GIL, 10, 140);
    cup_helper_wait_waited(TASK, CUP_WAIT_GIL, 40, 145);
    cup_helper_wait_waited(TASK, CUP_WAIT_GIL, 20, 150);
    expect(200, 0, 45, 0);
}

Test(helper_wait, for_the_gil_before_the_lock_does_not_count)
{
    cup_helper_wait_waited(TASK, CUP_WAIT_GIL, 20, 90);
    cup_helper_wait_task_blocks(TASK, CUP_WAIT_LOCK, 100);
    cup_helper_wait_waited(TASK, CUP_WAIT_GIL, 1000, 110);
    expect(200, 0, 10, 0);
    cup_helper_wait_task_blocks(TASK, CUP_WAIT_LOCK, 210);
    cup_helper_wait_waited(TASK, CUP_WAIT_GIL, 50, 220);
    expect(230, 0, 10, 0);
}

Test(helper_wait, cpu_time_is_subtracted_again)
{
    cup_helper_wait_task_blocks(TASK, CUP_WAIT_LOCK, 100);
    uint64_t since = cup_helper_wait_enters(TASK, CUP_WAIT_IO, 110);
    cup_helper_wait_leaves(TASK, CUP_WAIT_IO, 150, since, 30);
    expect(160, 10, 0, 0);
}

Test(helper_wait, no_more_is_subtracted_than_was_counted)
{
    cup_helper_wait_waited(TASK, CUP_WAIT_IO, 5, 90);
    cup_helper_wait_task_blocks(TASK, CUP_WAIT_LOCK, 100);
    uint64_t since = cup_helper_wait_enters(TASK, CUP_WAIT_IO, 110);
    cup_helper_wait_leaves(TASK, CUP_WAIT_IO, 150, since, 1000);
    cup_helper_wait_waited(TASK, CUP_WAIT_IO, 7, 158);
    expect(160, 7, 0, 0);
}

Test(helper_wait, clocks_of_two_cores_may_differ)
{
    cup_helper_wait_task_blocks(TASK, CUP_WAIT_LOCK, 100);
    uint64_t since = cup_helper_wait_enters(TASK, CUP_WAIT_IO, 90);
    cup_helper_wait_leaves(TASK, CUP_WAIT_IO, 80, since, 0);
    expect(70, 0, 0, 0);
}

Test(helper_wait, tasks_are_kept_apart)
{
    cup_helper_wait_begin(OTHER);
    cup_helper_wait_begin(SAME_PLACE); /* finds none */
    cup_helper_wait_task_blocks(TASK, CUP_WAIT_LOCK, 100);
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
    cup_helper_wait_task_blocks(SAME_PLACE, CUP_WAIT_LOCK, 100);
    cup_helper_wait_leaves(TASK, CUP_WAIT_IO, 150, left, 0);
    struct cup_helper_wait times = cup_helper_wait_task_resumes(SAME_PLACE, 160);
    cr_expect_eq(times.ticks[CUP_WAIT_IO], 0);
}

/* ---- requests that are out ------------------------------------------------------------------- */

static void expect_served(uint64_t stop, uint64_t served, uint64_t slept)
{
    struct cup_helper_wait times = cup_helper_wait_task_resumes(TASK, stop);
    cr_expect_eq(times.served, served, "%lu", (unsigned long)times.served);
    cr_expect_eq(times.served_slept, slept, "%lu", (unsigned long)times.served_slept);
}

/* The answer to a request that was out since SENT arrived at NOW. */
static uint64_t answer(struct cup_task_clock *sent, uint64_t now)
{
    return cup_helper_wait_served(TASK, sent, now, 0);
}

Test(helper_wait, while_a_request_is_out_the_task_waits_for_its_server)
{
    struct cup_task_clock sent = cup_helper_wait_clock(TASK, 50);
    cup_helper_wait_task_blocks(TASK, CUP_WAIT_LOCK, 100);
    cr_expect_eq(answer(&sent, 150), 50);
    cr_expect_eq(answer(&sent, 160), 10);
    expect_served(200, 60, 0);
    expect_served(200, 0, 0); /* once */
}

Test(helper_wait, a_request_without_an_answer_explains_nothing)
{
    cup_helper_wait_clock(TASK, 50);
    cup_helper_wait_task_blocks(TASK, CUP_WAIT_LOCK, 100);
    expect_served(200, 0, 0);
}

Test(helper_wait, an_answer_explains_earlier_waits_too)
{
    struct cup_task_clock sent = cup_helper_wait_clock(TASK, 50);
    cup_helper_wait_task_blocks(TASK, CUP_WAIT_LOCK, 100);
    expect_served(130, 0, 0);
    cup_helper_wait_task_blocks(TASK, CUP_WAIT_LOCK, 140);
    cr_expect_eq(answer(&sent, 160), 50);
    expect_served(170, 50, 0);
}

Test(helper_wait, of_requests_that_overlap_time_counts_once)
{
    cup_helper_wait_task_blocks(TASK, CUP_WAIT_LOCK, 100);
    struct cup_task_clock whole = cup_helper_wait_clock(TASK, 100);
    struct cup_task_clock early = cup_helper_wait_clock(TASK, 110);
    cr_expect_eq(answer(&early, 120), 10);
    struct cup_task_clock inner = cup_helper_wait_clock(TASK, 140);
    cr_expect_eq(answer(&inner, 150), 10);
    struct cup_task_clock across = cup_helper_wait_clock(TASK, 145);
    cr_expect_eq(answer(&across, 160), 10);
    cr_expect_eq(answer(&whole, 180), 50);
    cr_expect_eq(answer(&inner, 190), 10);
    expect_served(200, 90, 0);
}

Test(helper_wait, too_many_requests_apart_count_less_never_more)
{
    enum { REQUESTS = 20 };
    uint64_t served = 0;
    cup_helper_wait_task_blocks(TASK, CUP_WAIT_LOCK, 100);
    struct cup_task_clock whole = cup_helper_wait_clock(TASK, 100);
    for (unsigned i = 0; i < REQUESTS; i++) {
        struct cup_task_clock sent = cup_helper_wait_clock(TASK, 110 + 20 * i);
        served += answer(&sent, 120 + 20 * i);
    }
    cr_expect_eq(served, 10 * REQUESTS);
    served += answer(&whole, 600);
    cr_expect(served > 300 && served <= 500, "%lu", (unsigned long)served);
}

Test(helper_wait, files_come_before_requests)
{
    cup_helper_wait_task_blocks(TASK, CUP_WAIT_LOCK, 100);
    struct cup_task_clock sent = cup_helper_wait_clock(TASK, 100);
    uint64_t io = cup_helper_wait_enters(TASK, CUP_WAIT_IO, 110);
    cup_helper_wait_leaves(TASK, CUP_WAIT_IO, 120, io, 0);
    cr_expect_eq(answer(&sent, 200), 90);
    expect_served(200, 90, 0);
}

/* A wait for the GIL is known when it is over. It takes nothing from a request: it may lie before
 * the request was sent, or after its answer came. */
Test(helper_wait, the_gil_takes_no_time_from_a_request)
{
    cup_helper_wait_task_blocks(TASK, CUP_WAIT_LOCK, 100);
    struct cup_task_clock sent = cup_helper_wait_clock(TASK, 150);
    cup_helper_wait_waited(TASK, CUP_WAIT_GIL, 50, 151);
    cr_expect_eq(answer(&sent, 200), 50);
    struct cup_helper_wait times = cup_helper_wait_task_resumes(TASK, 200);
    cr_expect_eq(times.served, 50);
    cr_expect_eq(times.ticks[CUP_WAIT_GIL], 50);
}

/* A report of a wait for the GIL comes late: many file waits lie before it. */
Test(helper_wait, a_long_wait_for_the_gil_among_many_file_waits)
{
    enum { WAITS = 40, APART = 100 };
    cup_helper_wait_task_blocks(TASK, CUP_WAIT_LOCK, 100);
    for (uint64_t at = 100; at < 100 + WAITS * APART; at += APART) {
        uint64_t io = cup_helper_wait_enters(TASK, CUP_WAIT_IO, at);
        cup_helper_wait_leaves(TASK, CUP_WAIT_IO, at + 5, io, 0);
    }
    cup_helper_wait_waited(TASK, CUP_WAIT_GIL, WAITS * APART, 100 + WAITS * APART);
    struct cup_helper_wait times = cup_helper_wait_task_resumes(TASK, 100 + WAITS * APART);
    cr_expect(times.ticks[CUP_WAIT_GIL] >= WAITS * (APART - 5) &&
              times.ticks[CUP_WAIT_GIL] <= WAITS * APART);
}

Test(helper_wait, the_gil_while_the_task_waits_on_a_socket_is_no_part_of_that)
{
    cup_helper_wait_task_blocks(TASK, CUP_WAIT_POLL, 100);
    struct cup_task_clock sent = cup_helper_wait_clock(TASK, 100);
    cup_helper_wait_waited(TASK, CUP_WAIT_GIL, 40, 160);
    cr_expect_eq(answer(&sent, 200), 100);
}

/* The task's clock has two parts that do not advance together: neither may fall below 0. */
Test(helper_wait, no_request_counts_for_less_than_nothing)
{
    cup_helper_wait_task_blocks(TASK, CUP_WAIT_LOCK, 100);
    struct cup_task_clock sent = cup_helper_wait_clock(TASK, 200);
    uint64_t poll = cup_helper_wait_enters(TASK, CUP_WAIT_POLL, 200);
    cup_helper_wait_waited(TASK, CUP_WAIT_GIL, 30, 250);
    cup_helper_wait_leaves(TASK, CUP_WAIT_POLL, 260, poll, 0);
    cr_expect_eq(answer(&sent, 260), 60);
    expect_served(260, 0, 0);
}

Test(helper_wait, requests_come_before_helpers_that_sleep)
{
    cup_helper_wait_task_blocks(TASK, CUP_WAIT_LOCK, 100);
    uint64_t sleep = cup_helper_wait_enters(TASK, CUP_WAIT_SLEEP, 100);
    struct cup_task_clock sent = cup_helper_wait_clock(TASK, 130);
    cup_helper_wait_leaves(TASK, CUP_WAIT_SLEEP, 160, sleep, 0);
    cr_expect_eq(answer(&sent, 180), 50);
    expect_served(200, 50, 30);
}

Test(helper_wait, what_a_helper_on_a_socket_explains_is_not_explained_again)
{
    cup_helper_wait_task_blocks(TASK, CUP_WAIT_LOCK, 100);
    struct cup_task_clock sent = cup_helper_wait_clock(TASK, 100);
    uint64_t poll = cup_helper_wait_enters(TASK, CUP_WAIT_POLL, 110);
    cup_helper_wait_leaves(TASK, CUP_WAIT_POLL, 150, poll, 0);
    cr_expect_eq(answer(&sent, 160), 60);
    struct cup_helper_wait times = cup_helper_wait_task_resumes(TASK, 160);
    cr_expect_eq(times.served, 20);
    cr_expect_eq(times.ticks[CUP_WAIT_POLL], 40);
}

Test(helper_wait, a_guessed_wait_on_a_socket_and_its_request_count_once)
{
    cup_helper_wait_task_blocks(TASK, CUP_WAIT_LOCK, 100);
    struct cup_task_clock sent = cup_helper_wait_clock(TASK, 110);
    cup_helper_wait_waited(TASK, CUP_WAIT_POLL, 30, 150);
    cr_expect_eq(answer(&sent, 150), 10);
    cup_helper_wait_waited(TASK, CUP_WAIT_POLL, 1000, 160); /* longer than the task's wait */
    expect_served(200, 60, 0);
}

Test(helper_wait, a_tasks_own_wait_on_a_socket_is_for_the_server)
{
    cup_helper_wait_task_blocks(TASK, CUP_WAIT_POLL, 100);
    struct cup_task_clock sent = cup_helper_wait_clock(TASK, 110);
    cr_expect_eq(answer(&sent, 150), 40);
    expect_served(150, 0, 0); /* it counts on a socket already */
    cup_helper_wait_task_waited(TASK, 25);
    cr_expect_eq(answer(&sent, 180), 25);
}

Test(helper_wait, an_answer_that_is_received_late_arrived_earlier)
{
    cup_helper_wait_task_blocks(TASK, CUP_WAIT_LOCK, 100);
    struct cup_task_clock sent = cup_helper_wait_clock(TASK, 110);
    cr_expect_eq(cup_helper_wait_served(TASK, &sent, 200, 60), 30);
    cr_expect_eq(cup_helper_wait_served(TASK, &sent, 210, 5), 65); /* more of it was to come */
    cr_expect_eq(cup_helper_wait_served(TASK, &sent, 215, 1000), 0);
    expect_served(220, 95, 0);
}

Test(helper_wait, time_between_the_tasks_waits_is_no_wait)
{
    struct cup_task_clock sent = cup_helper_wait_clock(TASK, 50);
    cup_helper_wait_task_blocks(TASK, CUP_WAIT_LOCK, 100);
    expect_served(110, 0, 0);
    cup_helper_wait_task_blocks(TASK, CUP_WAIT_POLL, 150); /* whose end is not seen */
    cup_helper_wait_task_blocks(TASK, CUP_WAIT_LOCK, 180);
    cr_expect_eq(answer(&sent, 190), 20);
}

Test(helper_wait, requests_of_a_task_that_has_ended_count_for_none)
{
    struct cup_task_clock sent = cup_helper_wait_clock(OTHER, 50);
    cr_expect_eq(sent.blocked, 0);
    cr_expect_eq(cup_helper_wait_served(OTHER, &sent, 100, 0), 0);
}

Test(helper_wait, a_task_that_ends_without_an_answer_waited_for_it)
{
    uint32_t server = 0;
    cup_helper_wait_task_blocks(TASK, CUP_WAIT_LOCK, 100);
    cup_helper_wait_clock(TASK, 110);
    cup_helper_wait_asks(TASK, 5);
    cup_helper_wait_clock(TASK, 120);
    cup_helper_wait_asks(TASK, 6);
    cup_helper_wait_got_answer(TASK);
    expect_served(200, 0, 0);
    cr_expect_eq(cup_helper_wait_gives_up(TASK, 210, &server), 90);
    cr_expect_eq(server, 5);
    expect_served(210, 90, 0);
}

Test(helper_wait, a_task_that_ends_with_all_answers_gave_up_none)
{
    uint32_t server;
    cup_helper_wait_task_blocks(TASK, CUP_WAIT_LOCK, 100);
    cup_helper_wait_asks(TASK, 5);
    cup_helper_wait_got_answer(TASK);
    cr_expect_eq(cup_helper_wait_gives_up(TASK, 200, &server), 0);
}

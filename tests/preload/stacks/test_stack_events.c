/* Which events record their stack, for which task, and that random samples are right on average.
 * There are no real stacks here: a node is a number that the test sets. */
#include "tests/preload/stack_use_records.h"

#include "preload/lifecycle/running_tasks.h"
#include "preload/stacks/stack_events.h"

#include <errno.h>

enum { TASK = 7, HERE = 40, THERE = 41, HELPER = 1000, MOST = 4096 };
enum { SMALL_ONE_IN = 1 << CUP_EVENT_SMALL_BITS };

/* Ticks. A process that has not recorded a stack yet may record many. */
#define NOW (UINT64_C(3) << 40)

static bool on;
static uint32_t here, taken, with_native;
static struct test_use found[MOST];

bool cup_stacks_on(void)
{
    return on;
}

/* Stands in for reading the Python stack. */
static uint64_t glance; /* 0: as `here` */

uint64_t cup_stack_glance(void)
{
    return glance ? glance : here;
}

uint32_t cup_stack_here(uint32_t under)
{
    taken++;
    errno = ENOENT; /* callees may change errno: events must restore it */
    return here ? under + here : 0;
}

/* Stands in for reading native frames too. */
uint32_t cup_stack_event_here(uint32_t under, bool at_any_cost, uint64_t now)
{
    (void)now;
    with_native += at_any_cost;
    return cup_stack_here(under);
}

uint32_t cup_stack_node(uint32_t parent, uint32_t of, uint32_t at)
{
    return of == CUP_NODE_HELPER && !at ? parent + HELPER : 0;
}

static void set_up(void)
{
    test_log_open(4 << 20);
    cup_running_reset();
    cup_stack_uses_reset();
    cup_events_reset();
    cup_running_add(TASK);
    memset(&cup_self, 0, sizeof cup_self);
    cup_self.event_random = 2463534242; /* a fixed seed */
    cup_self.task = TASK;
    here = HERE;
    on = true;
    taken = 0;
}

TestSuite(events, .init = set_up, .fini = test_log_close);

/* The rows of TASK in the log, and their sum. */
static size_t tell(struct test_use *sum)
{
    size_t records, count;
    cup_stack_uses_process_ends();
    count = test_uses(found, MOST, &records);
    *sum = (struct test_use){0};
    for (size_t i = 0; i < count; i++) {
        sum->count += found[i].count;
        sum->bytes += found[i].bytes;
        sum->ns += found[i].ns;
    }
    return count;
}

/* All kinds of events have their whole budget again. */
static void renew_budgets(void)
{
    memset(cup_event_unspent, 0, sizeof cup_event_unspent);
}

static uint64_t ticks_of(uint64_t ns)
{
    return cup_ns_ticks(ns) + 4096;
}

static void expect_about(uint64_t value, uint64_t expected, double share)
{
    double off = ((double)value - (double)expected) / (double)expected;
    cr_expect(off > -share && off < share, "%lu instead of %lu", value, expected);
}

Test(events, large_reads_all_take_their_stack)
{
    struct test_use sum;
    for (int i = 0; i < 100; i++)
        cup_event_moved(CUP_U_READ, TASK, 0, CUP_EVENT_LARGE, 50, NOW);
    cr_assert_eq(tell(&sum), 1);
    cr_expect_eq(taken, 100);
    cr_expect(found[0].task == TASK && found[0].node == HERE && found[0].use == CUP_U_READ);
    cr_expect(sum.count == 100 && sum.bytes == 100 * CUP_EVENT_LARGE && sum.ns == 5000);
}

Test(events, large_and_slow_reads_have_native_frames_at_any_cost)
{
    cup_event_moved(CUP_U_READ, TASK, 0, CUP_EVENT_LARGE, 50, NOW);
    cr_expect_eq(with_native, 0);
    cup_event_moved(CUP_U_READ, TASK, 0, CUP_EVENT_NATIVE_BYTES, 50, NOW);
    cup_event_moved(CUP_U_READ, TASK, 0, CUP_EVENT_LARGE, CUP_EVENT_NATIVE_NS, NOW);
    cr_expect_eq(with_native, 2);
}

Test(events, small_reads_that_come_seldom_are_exact)
{
    struct test_use sum;
    uint64_t now = NOW;
    for (int i = 0; i < 100; i++, now += ticks_of(CUP_EVENT_GAP_NS))
        cup_event_moved(CUP_U_READ, TASK, 0, 10, 50, now);
    tell(&sum);
    cr_expect_eq(taken, 100);
    cr_expect(sum.count == 100 && sum.bytes == 1000 && sum.ns == 5000);
}

/* Two kinds of events in alternation: with a fixed step only one of them would be recorded. */
Test(events, of_small_reads_in_a_row_some_stand_for_all)
{
    enum { PAIRS = 200000 };
    struct test_use sum;
    uint64_t now = NOW;
    for (int i = 0; i < PAIRS; i++) {
        renew_budgets();
        here = HERE;
        cup_event_moved(CUP_U_READ, TASK, 0, 100, 500, now += 200);
        here = THERE;
        cup_event_moved(CUP_U_READ, TASK, 0, 4000, 900, now += 200);
    }
    cr_assert_eq(tell(&sum), 2);
    cr_expect_lt(taken, 2 * PAIRS / SMALL_ONE_IN * 2);
    cr_expect_gt(taken, 2 * PAIRS / SMALL_ONE_IN / 2);
    for (int i = 0; i < 2; i++)
        expect_about(found[i].count, PAIRS, 0.04);
    expect_about(found[0].bytes, 100 * PAIRS, 0.04);
    expect_about(found[1].bytes, UINT64_C(4000) * PAIRS, 0.04);
    expect_about(found[0].ns, UINT64_C(500) * PAIRS, 0.04);
}

Test(events, characters_are_chosen_too)
{
    enum { CHARACTERS = 4000000 };
    struct test_use sum;
    for (int i = 0; i < CHARACTERS; i++)
        cup_event_character(CUP_U_READ, TASK);
    tell(&sum);
    cr_expect_eq(sum.count, sum.bytes);
    expect_about(sum.bytes, CHARACTERS, 0.05);
    cr_expect_lt(taken, CHARACTERS / CUP_EVENT_CHARACTERS * 2);
}

Test(events, no_task_or_no_stacks_is_no_event)
{
    struct test_use sum;
    cup_event_moved(CUP_U_READ, 0, 0, 1 << 20, 50, NOW);
    cup_event_waited(0, CUP_WAIT_IO, 1, 5000000);
    on = false;
    cup_event_moved(CUP_U_READ, TASK, 0, 1 << 20, 50, NOW);
    cup_event_waited(TASK, CUP_WAIT_IO, 1, 5000000);
    cup_event_hands_over();
    for (int i = 0; i < 100; i++)
        cup_event_allocated(TASK, 1 << 20);
    cr_expect_eq(tell(&sum), 0);
    cr_expect_eq(taken, 0);
}

Test(events, a_stack_that_cannot_be_read_counts_nevertheless)
{
    struct test_use sum;
    here = 0;
    cup_event_moved(CUP_U_READ, TASK, 0, 1 << 20, 50, NOW);
    cr_assert_eq(tell(&sum), 1);
    cr_expect_eq(found[0].node, 0);
    cr_expect_eq(sum.bytes, 1 << 20);
}

Test(events, who_asked_is_where_it_counts)
{
    struct test_use sum;
    cup_event_moved(CUP_U_READ, TASK, 77, 1 << 20, 50, NOW);
    cr_assert_eq(tell(&sum), 1);
    cr_expect_eq(found[0].node, 77);
    cr_expect_eq(taken, 0);
}

/* ---- budgets ----------------------------------------------------------------------------- */

/* COUNT reads at HERE and as many at THERE, half as large and twice as slow, one each NS. Returns
 * how many recorded their stack. */
static uint32_t read_often(int count, uint64_t ns, struct test_use *sum)
{
    uint64_t now = NOW;
    taken = 0;
    for (int i = 0; i < count; i++) {
        here = HERE;
        cup_event_moved(CUP_U_READ, TASK, 0, 8192, 500, now += cup_ns_ticks(ns));
        here = THERE;
        cup_event_moved(CUP_U_READ, TASK, 0, 4096, 1000, now += cup_ns_ticks(ns));
    }
    cr_assert_eq(tell(sum), 2);
    return taken;
}

Test(events, reads_within_the_budget_are_exact)
{
    struct test_use sum;
    cr_expect_eq(read_often(10000, 1000000, &sum), 20000, "a thousand a second");
    cr_expect_eq(sum.count, 20000);
    cr_expect_eq(sum.bytes, 10000 * (8192 + 4096));
}

/* A hundred thousand a second, for 20 seconds. */
Test(events, of_reads_beyond_the_budget_some_stand_for_all)
{
    enum { COUNT = 1000000 };
    struct test_use sum;
    uint32_t budget = 2048 + 20 * 1000;
    uint32_t spent = read_often(COUNT, 10000, &sum);
    cr_expect_lt(spent, budget * 5 / 4);
    cr_expect_gt(spent, budget / 2);
    for (int i = 0; i < 2; i++)
        expect_about(found[i].count, COUNT, 0.08);
    expect_about(found[0].bytes, UINT64_C(8192) * COUNT, 0.08);
    expect_about(found[1].bytes, UINT64_C(4096) * COUNT, 0.08);
    expect_about(found[1].ns, UINT64_C(1000) * COUNT, 0.08);
}

Test(events, large_reads_beyond_the_budget_are_exact)
{
    struct test_use sum;
    uint64_t bytes = 0;
    read_often(100000, 10000, &sum);
    taken = 0;
    for (int i = 0; i < 100; i++, bytes += 8 << 20)
        cup_event_moved(CUP_U_SERVER_RECV, TASK, 0, 8 << 20, 500, NOW);
    size_t last = tell(&sum) - 1;
    cr_expect_eq(taken, 100);
    cr_expect(found[last].use == CUP_U_SERVER_RECV && found[last].bytes == bytes);
}

Test(events, without_a_limit_all_reads_are_exact)
{
    struct test_use sum;
    cup_events_want_all();
    cr_expect_eq(read_often(100000, 1000, &sum), 200000);
    cr_expect_eq(sum.count, 200000);
}

Test(events, after_a_pause_reads_are_exact_again)
{
    struct test_use sum;
    read_often(100000, 1000, &sum);
    taken = 0;
    uint64_t now = NOW + ticks_of(10000000000);
    for (int i = 0; i < 1000; i++)
        cup_event_moved(CUP_U_READ, TASK, 0, 4096, 500, now += ticks_of(1000));
    cr_expect_eq(taken, 1000);
}

/* A hundred thousand of them would take the budget of 100 seconds. */
Test(events, after_large_reads_and_a_pause_reads_are_exact_again)
{
    struct test_use sum;
    for (int i = 0; i < 100000; i++)
        cup_event_moved(CUP_U_READ, TASK, 0, 8 << 20, 500, NOW);
    taken = 0;
    uint64_t now = NOW + ticks_of(10000000000);
    for (int i = 0; i < 1000; i++)
        cup_event_moved(CUP_U_READ, TASK, 0, 4096, 500, now += ticks_of(1000));
    tell(&sum);
    cr_expect_eq(taken, 1000);
}

/* Waits beyond the budget: the short ones are thinned, the long ones are exact. */
Test(events, waits_beyond_the_budget)
{
    enum { COUNT = 100000, LONG = 100 };
    struct test_use sum;
    for (int i = 0; i < COUNT; i++) {
        here = HERE;
        cup_event_waited(TASK, CUP_WAIT_IO, 1, CUP_EVENT_WAIT_NS);
        here = THERE;
        if (i % (COUNT / LONG) == 0)
            cup_event_waited(TASK, CUP_WAIT_IO, 1, CUP_EVENT_WAIT_NS << 9);
    }
    cr_assert_eq(tell(&sum), 2);
    cr_expect_lt(taken, COUNT / 50);
    expect_about(found[0].ns, (uint64_t)COUNT * CUP_EVENT_WAIT_NS, 0.4);
    cr_expect_eq(found[1].ns, LONG * ((uint64_t)CUP_EVENT_WAIT_NS << 9));
}

Test(events, allocations_beyond_the_budget)
{
    enum { COUNT = 20000 };
    struct test_use sum;
    for (int i = 0; i < COUNT; i++)
        cup_event_allocated(TASK, 3 << 20);
    tell(&sum);
    cr_expect_lt(taken, COUNT / 10);
    expect_about(sum.bytes, (uint64_t)COUNT * (3 << 20), 0.4);
}

/* ---- helpers ----------------------------------------------------------------------------- */

Test(events, a_helper_stands_where_its_task_waits)
{
    here = 300;
    cup_event_hands_over();
    cup_self.task = 0; /* now on a helper */
    here = 5;
    cr_expect_eq(cup_event_node(TASK), 300 + HELPER + 5);
    here = 6;
    cr_expect_eq(cup_event_node(TASK), 300 + HELPER + 6);
    here = 0; /* a native thread */
    cr_expect_eq(cup_event_node(TASK), 300 + HELPER);
}

Test(events, the_last_place_counts)
{
    cup_event_hands_over();
    cr_expect_eq((cup_self.task = 0, cup_event_node(TASK)), HERE + HELPER + HERE);
    cup_self.task = TASK;
    here = 300;
    cup_event_hands_over();
    cup_self.task = 0;
    cr_expect_eq(cup_event_node(TASK), 300 + HELPER + 300);
}

/* The innermost frames stay the same, while an outer one goes on. */
Test(events, a_stack_is_kept_while_the_innermost_frames_stay_the_same)
{
    enum { OFTEN = 10000, LINES = 4 };
    uint32_t read_at[LINES] = {0};
    glance = 17;
    for (int i = 0; i < OFTEN; i++) {
        uint32_t before = taken;
        here = 300 + (uint32_t)i % LINES;
        cup_event_hands_over();
        read_at[i % LINES] += taken - before;
    }
    cr_expect_lt(taken, OFTEN / 10);
    for (int i = 0; i < LINES; i++)
        cr_expect_gt(read_at[i], OFTEN / 100, "line %d", i);
    glance = 18;
    cup_event_hands_over();
    cup_self.task = 0;
    cr_expect_eq(cup_event_node(TASK), 303 + HELPER + 303);
}

Test(events, a_kept_stack_is_of_one_task)
{
    glance = 17;
    cup_event_hands_over();
    cup_self.task = TASK + 1024; /* has the same entry */
    here = 300;
    cup_event_hands_over();
    cup_self.task = 0;
    cr_expect_eq(cup_event_node(TASK + 1024), 300 + HELPER + 300);
}

Test(events, a_helper_of_a_task_that_handed_nothing_over_is_one_nevertheless)
{
    cup_event_hands_over();
    cup_self.task = 0;
    cr_expect_eq(cup_event_node(TASK + 1), HELPER + HERE);
    cr_expect_eq(cup_event_node(TASK + 1024), HELPER + HERE, "the same place, another task");
    cr_expect_eq(cup_event_node(TASK), HERE + HELPER + HERE);
}

Test(events, a_place_without_a_stack_does_not_count)
{
    cup_event_hands_over();
    here = 0;
    cup_event_hands_over();
    cup_self.task = 0;
    cr_expect_eq(cup_event_node(TASK), HERE + HELPER);
}

/* ---- waits ------------------------------------------------------------------------------- */

Test(events, waits_count_by_class)
{
    struct test_use sum;
    static const uint32_t uses[] = {CUP_U_IO_WAIT, CUP_U_GIL_WAIT, CUP_U_LOCK_WAIT, CUP_U_SLEEP,
                                    CUP_U_POLL_WAIT};
    for (int class = 0; class < CUP_WAIT_COUNT; class ++)
        cup_event_waited(TASK, (enum cup_wait_class) class, 1, 1000 + (uint64_t) class);
    cup_event_waited(TASK, CUP_WAIT_IO, 0, 5);
    cr_assert_eq(tell(&sum), CUP_WAIT_COUNT);
    for (int class = 0; class < CUP_WAIT_COUNT; class ++) {
        cr_expect_eq(found[class].use, uses[class]);
        cr_expect_eq(found[class].count, 1);
        cr_expect_eq(found[class].ns, 1000 + (uint64_t) class + (class ? 0 : 5));
        cr_expect_eq(found[class].bytes, 0);
    }
}

/* ---- allocations ------------------------------------------------------------------------- */

/* COUNT allocations of A bytes at HERE, each followed by one of B at THERE. */
static void expect_shares(size_t a, size_t b, int count, double share)
{
    struct test_use sum;
    taken = 0;
    for (int i = 0; i < count; i++) {
        renew_budgets();
        here = HERE;
        cup_event_allocated(TASK, a);
        here = THERE;
        cup_event_allocated(TASK, b);
    }
    cr_assert_eq(tell(&sum), 2);
    cr_expect_eq(sum.count, taken, "each that is looked at is counted once");
    expect_about(found[0].bytes, a * (uint64_t)count, share);
    expect_about(found[1].bytes, b * (uint64_t)count, share);
    cr_expect_lt(taken, (a + b) * (uint64_t)count / CUP_EVENT_ALLOC_BYTES * 3 / 2);
}

Test(events, small_allocations)
{
    expect_shares(640, 1920, 60000000, 0.02);
}

Test(events, allocations_of_the_size_of_a_step)
{
    expect_shares(300000, 2100000, 100000, 0.02);
}

/* With a fixed step only one of the two places would be recorded. */
Test(events, steps_of_the_size_of_a_loop)
{
    expect_shares(3000, CUP_EVENT_ALLOC_BYTES - 3000, 300000, 0.12);
}

/* The countdown ends with the last byte of an allocation: the next one is recorded. */
Test(events, a_countdown_that_ends_between_two_allocations_counts)
{
    struct test_use sum;
    uint64_t bytes = 0;
    for (int i = 0; i < 20000; i++) {
        renew_budgets();
        cup_event_allocated(TASK, 1);
        size_t left = (size_t)cup_self.alloc_left;
        cup_event_allocated(TASK, left);
        bytes += 1 + left;
    }
    tell(&sum);
    expect_about(sum.bytes, bytes, 0.04);
}

Test(events, large_allocations_are_exact)
{
    struct test_use sum;
    for (int i = 0; i < 100; i++)
        cup_event_allocated(TASK, CUP_EVENT_ALLOC_LARGE + (size_t)i);
    tell(&sum);
    cr_expect_eq(sum.count, 100);
    cr_expect_eq(sum.bytes, UINT64_C(100) * CUP_EVENT_ALLOC_LARGE + 99 * 100 / 2);
}

Test(events, a_large_allocation_hides_no_small_one)
{
    struct test_use sum;
    for (int i = 0; i < 4000000; i++) {
        renew_budgets();
        here = HERE;
        cup_event_allocated(TASK, 3000);
        here = THERE;
        if (i % 100 == 0)
            cup_event_allocated(TASK, 50 << 20);
    }
    cr_assert_eq(tell(&sum), 2);
    expect_about(found[0].bytes, UINT64_C(12000000000), 0.04);
    cr_expect_eq(found[1].bytes, UINT64_C(40000) * (50 << 20));
}

Test(events, inside_the_library_nothing_is_taken)
{
    struct test_use sum;
    cup_guard();
    for (int i = 0; i < 100; i++)
        cup_event_allocated(TASK, 1 << 20);
    cup_unguard();
    cr_expect_eq(tell(&sum), 0);
    cr_expect_eq(taken, 0);
}

Test(events, errno_is_kept)
{
    errno = EINTR;
    cup_event_allocated(TASK, 50 << 20);
    cr_expect_eq(taken, 1);
    cr_expect_eq(errno, EINTR);
}

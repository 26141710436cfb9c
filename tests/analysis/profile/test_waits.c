/* Where a task's time went without CPU: the parts add up, nothing is counted twice. */
#include <criterion/criterion.h>

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/metrics/totals.h"
#include "analysis/profile/load/loader.h"
#include "analysis/tasks/task_columns.h"
#include "tests/analysis/fixture.h"

/* ---- one task --------------------------------------------------------------------------- */

static uint64_t sum_of(const struct cup_wait_split *split)
{
    uint64_t sum = 0;
    for (int i = 0; i < CUP_WAITED_COUNT; i++)
        sum += split->ns[i];
    return sum;
}

static const struct cup_measured_waits some = {{100, 50, 10, 5, 20, 15}}; /* 200 */

Test(waits, what_is_left_is_other)
{
    const struct cup_wait_split split = cup_wait_split(260, &some, 0);
    cr_assert_eq(split.ns[CUP_WAITED_IO], 100);
    cr_assert_eq(split.ns[CUP_WAITED_RUN_DELAY], 15);
    cr_assert_eq(split.ns[CUP_WAITED_FAULT], 0);
    cr_assert_eq(split.ns[CUP_WAITED_OTHER], 60);
    cr_assert_eq(split.excess_ns, 0);
}

Test(waits, with_major_faults_what_is_left_waited_for_pages)
{
    const struct cup_wait_split split = cup_wait_split(260, &some, 3);
    cr_assert_eq(split.ns[CUP_WAITED_FAULT], 60);
    cr_assert_eq(split.ns[CUP_WAITED_OTHER], 0);
}

Test(waits, an_excess_is_taken_from_the_largest_part)
{
    const struct cup_wait_split split = cup_wait_split(190, &some, 1);
    cr_assert_eq(split.ns[CUP_WAITED_IO], 90);
    cr_assert_eq(split.ns[CUP_WAITED_GIL], 50);
    cr_assert_eq(split.ns[CUP_WAITED_FAULT], 0);
    cr_assert_eq(split.excess_ns, 10);
    cr_assert_eq(sum_of(&split), 190);
}

Test(waits, any_excess_leaves_a_sum_that_holds)
{
    const struct cup_measured_waits huge = {
        {UINT64_MAX, UINT64_MAX, UINT64_MAX, 7, UINT64_MAX, UINT64_MAX}};
    for (uint64_t noncpu = 0; noncpu <= 200; noncpu++) {
        struct cup_wait_split split = cup_wait_split(noncpu, &some, 0);
        cr_assert_eq(sum_of(&split), noncpu);
        cr_assert_eq(split.excess_ns, 200 - noncpu);
        split = cup_wait_split(noncpu, &huge, 0);
        cr_assert_eq(sum_of(&split), noncpu);
    }
}

/* Sums of a damaged log do not overflow: the excess is larger than any of its parts. */
Test(waits, a_huge_excess_is_one)
{
    const struct cup_measured_waits huge = {{UINT64_MAX, UINT64_MAX, 7, 5, UINT64_MAX, 1}};
    for (uint64_t noncpu = 0; noncpu <= 10; noncpu++) {
        const struct cup_wait_split split = cup_wait_split(noncpu, &huge, 0);
        cr_assert_gt(split.excess_ns, UINT64_MAX / 8);
        for (int i = 0; i < CUP_WAITED_COUNT; i++)
            cr_assert_leq(split.ns[i], noncpu);
    }
}

Test(waits, every_field_is_added)
{
    struct cup_wait_sums sums = {.tasks = 1, .cpu_ns = 2, .excess_ns = 3, .below_zero_ns = 4};
    struct cup_wait_sums others = {
        .tasks = 100, .cpu_ns = 200, .excess_ns = 300, .below_zero_ns = 400};
    struct cup_wait_sums expected = {
        .tasks = 101, .cpu_ns = 202, .excess_ns = 303, .below_zero_ns = 404};
    sums.unmeasured_tasks = 5, others.unmeasured_tasks = 500, expected.unmeasured_tasks = 505;
    sums.unmeasured_cpu_ns = 6, others.unmeasured_cpu_ns = 600, expected.unmeasured_cpu_ns = 606;
    sums.unmeasured_noncpu_ns = 7, others.unmeasured_noncpu_ns = 700,
    expected.unmeasured_noncpu_ns = 707;
    for (uint64_t i = 0; i < CUP_WAITED_COUNT; i++) {
        sums.ns[i] = 10 + i;
        others.ns[i] = 1000 + 100 * i;
        expected.ns[i] = 1010 + 101 * i;
    }
    cup_wait_sums_add(&sums, &others);
    cr_assert_eq(memcmp(&sums, &expected, sizeof sums), 0); /* all are uint64_t */
}

Test(waits, sums_are_wall_time_without_remainder)
{
    struct cup_wait_sums sums = {0}, twice = {0};
    cup_wait_sums_add_task(&sums, 500, 240, &some, 0);
    cup_wait_sums_add_task(&sums, 100, 103, &some, 0); /* more CPU than wall: clocks have grains */
    cup_wait_sums_add_task(&sums, 70, 30, NULL, 0);
    cr_assert_eq(sums.tasks, 2);
    cr_assert_eq(cup_wait_sums_wall_ns(&sums), 600);
    cr_assert_eq(sums.ns[CUP_WAITED_OTHER], 60);
    cr_assert_eq(sums.excess_ns, 200);
    cr_assert_eq(sums.below_zero_ns, 3);
    cr_assert_eq(sums.unmeasured_tasks, 1);
    cr_assert_eq(sums.unmeasured_cpu_ns + sums.unmeasured_noncpu_ns, 70);
    cup_wait_sums_add(&twice, &sums);
    cup_wait_sums_add(&twice, &sums);
    cr_assert_eq(cup_wait_sums_wall_ns(&twice), 1200);
    cr_assert_eq(twice.unmeasured_noncpu_ns, 80);
}

Test(waits, what_threads_told_is_kept_until_their_tasks_end)
{
    struct cup_own_wait_list list = {0};
    struct cup_own_waits waits = {0};
    for (uint32_t task = 1; task <= 5; task++) {
        waits.task = task;
        waits.major_faults = task * 10;
        cr_assert_eq(cup_own_waits_keep(&list, &waits), 0);
    }
    cr_assert(cup_own_waits_take(&list, 2, &waits));
    cr_assert_eq(waits.major_faults, 20);
    cr_assert_not(cup_own_waits_take(&list, 2, &waits));
    cr_assert(cup_own_waits_take(&list, 5, &waits));
    cr_assert(cup_own_waits_take(&list, 1, &waits));
    cr_assert_eq(list.count, 2);
    for (uint32_t task = 10; task < 100000; task++) { /* whose ends were lost */
        waits.task = task;
        cup_own_waits_keep(&list, &waits);
    }
    cr_assert_leq(list.count, CUP_OWN_WAITS_MOST);
    cr_assert(cup_own_waits_take(&list, 99999, &waits));
    cup_own_waits_clear(&list);
}

/* ---- logs ------------------------------------------------------------------------------- */

static const uint64_t all_waits = CUP_FEATURE_WAITS | CUP_FEATURE_GIL | CUP_FEATURE_RUN_DELAY;

TestSuite(wait_logs, .init = start_golden_fixture, .fini = end_fixture);

static void load(uint64_t features, size_t logs)
{
    const struct cup_load_options options = {.counters = true};
    builder_header(&builder)->features |= features;
    builder_finish(&builder);
    for (size_t i = 0; i < logs; i++)
        save_log(&builder, scratch, i ? "b.cup" : "a.cup");
    load_fixture_profile(&options);
}

static void add_block(uint32_t task, uint32_t kind, const uint64_t *values, const uint64_t *buckets)
{
    static uint32_t sequence = 100;
    struct cup_r_counters block = {
        .task = task, .tid = 100 + kind, .block = 2, .sequence = sequence++, .own = kind};
    builder_counters_and_buckets(&builder, &block, values, buckets);
}

static const uint64_t second = 1000000000;

/* To task 1 (4 s, of which 2 s CPU): I/O 0.5 s, GIL 0.25 s; its helper 3 s of I/O. */
static void add_waits(void)
{
    const uint64_t own[CUP_COUNTER_COUNT] = {[CUP_C_IO_WAIT_NS] = second / 2,
                                             [CUP_C_GIL_WAIT_NS] = second / 4,
                                             [CUP_C_READ_LONGEST_NS] = 2000000,
                                             [CUP_C_MINOR_FAULTS] = 5};
    const uint64_t helper[CUP_COUNTER_COUNT] = {
        [CUP_C_IO_WAIT_NS] = 3 * second, [CUP_C_READ_LONGEST_NS] = 1000000};
    const uint64_t buckets[CUP_HISTOGRAM_COUNT * CUP_BUCKETS] = {[20] = 4, [CUP_BUCKETS + 3] = 2};
    add_block(1, CUP_BLOCK_RUNS, own, buckets);
    add_block(1, CUP_BLOCK_HELPS, helper, buckets);
}

static struct cup_value column(size_t task, const char *name)
{
    const struct cup_task_row row = {.profile = &profile, .task = &profile.tasks[task]};
    return cup_task_value(&row, name);
}

static void expect(size_t task, const char *name, double expected)
{
    cr_expect_float_eq(cup_number(column(task, name)), expected, 1e-9, "%s is %g, not %g", name,
                       cup_number(column(task, name)), expected);
}

static void expect_null(size_t task, const char *name)
{
    cr_expect_eq(column(task, name).kind, CUP_VALUE_NULL, "%s", name);
}

static double sum_of_columns(size_t task)
{
    double sum = 0;
    for (int i = 0; i < CUP_WAITED_COUNT; i++)
        sum += cup_number(column(task, cup_wait_parts[i].name));
    return sum;
}

Test(wait_logs, columns_of_a_task_add_up)
{
    add_waits();
    load(all_waits, 1);
    expect(0, "io_wait_s", 0.5);
    expect(0, "gil_wait_s", 0.25);
    expect(0, "lock_wait_s", 0);
    expect(0, "other_wait_s", 1.25);
    expect(0, "fault_wait_s", 0);
    expect(0, "helper_io_wait_s", 3);
    expect(0, "helper_gil_wait_s", 0);
    expect_null(0, "helper_fault_wait_s");
    expect_null(0, "helper_other_wait_s");
    for (size_t task = 0; task < 5; task++)
        cr_expect_float_eq(sum_of_columns(task), cup_number(column(task, "noncpu_s")), 1e-9);
}

Test(wait_logs, sums_by_prefix_and_process_add_up)
{
    add_waits();
    load(all_waits, 1);
    const struct cup_prefix *dimuon = &profile.prefixes[1];
    cr_assert_eq(dimuon->waits.tasks, 4);
    cr_assert_eq(cup_wait_sums_wall_ns(&dimuon->waits), 15 * second);
    cr_assert_eq(dimuon->waits.ns[CUP_WAITED_IO], second / 2);
    cr_assert_eq(dimuon->helper_waits.ns[CUP_WAITED_IO], 3 * second);
    const struct cup_process *process = &profile.processes[0];
    cr_assert_eq(cup_wait_sums_wall_ns(&process->waits[CUP_PLACE_POOL]), 16 * second);
    cr_assert_eq(process->waits[CUP_PLACE_ELSEWHERE].tasks, 0);
    cr_assert_eq(process->helper_waits.ns[CUP_WAITED_IO], 3 * second);
}

/* The library writes what the task's thread waited before the task's end: here it comes first. */
Test(wait_logs, the_order_of_block_and_end_does_not_matter)
{
    const uint64_t own[CUP_COUNTER_COUNT] = {[CUP_C_SLEEP_NS] = second};
    struct cup_r_task_begin begin = {
        .task = 7, .tid = 5, .prefix = 3, .start_ns = at_second(12), .origin = CUP_ORIGIN_DASK};
    struct cup_r_task_end end = {
        .task = 7, .status = CUP_STATUS_FINISHED, .stop_ns = at_second(15), .cpu_ns = second};
    builder_begin(&builder, &begin, "x");
    add_block(7, CUP_BLOCK_RUNS, own, NULL);
    BUILDER_ADD(&builder, CUP_R_TASK_END, end);
    add_waits();
    load(all_waits, 1);
    expect(6, "sleep_s", 1);
    expect(6, "other_wait_s", 1);
    cr_assert_eq(profile.prefixes[1].waits.ns[CUP_WAITED_SLEEP], second);
    cr_assert_eq(profile.prefixes[1].waits.ns[CUP_WAITED_IO], second / 2);
    cr_assert_eq(profile.prefixes[1].waits.tasks, 5);
}

Test(wait_logs, an_unfinished_task_shows_what_was_measured)
{
    struct cup_block *block = builder_block(&builder, 0);
    block->counters[CUP_C_IO_WAIT_NS] = second;
    block->histograms[CUP_HISTOGRAM_READ][9] = 6;
    load(all_waits, 1);
    expect(5, "io_wait_s", 1);
    expect(5, "gil_wait_s", 0);
    expect_null(5, "fault_wait_s");
    expect_null(5, "other_wait_s");
    cr_assert_eq(profile.prefixes[2].waits.tasks, 1); /* the other one of them */
    cr_assert_eq(profile.prefixes[2].durations[CUP_DURATION_READ][9], 6);
}

Test(wait_logs, what_was_not_measured_is_null)
{
    add_waits();
    load(0, 1);
    for (int i = 0; i < CUP_WAITED_COUNT; i++) {
        expect_null(0, cup_wait_parts[i].name);
        expect_null(0, cup_wait_parts[i].helper_name);
    }
    cr_assert_eq(profile.prefixes[1].waits.tasks, 0);
    cr_assert_eq(profile.prefixes[1].waits.unmeasured_tasks, 4);
    cr_assert_eq(profile.prefixes[1].waits.unmeasured_noncpu_ns, 15 * second - 19 * second / 2);
}

Test(wait_logs, without_gil_and_run_delay_only_these_are_null)
{
    add_waits();
    load(CUP_FEATURE_WAITS, 1);
    expect_null(0, "gil_wait_s");
    expect_null(0, "run_delay_s");
    expect_null(0, "helper_gil_wait_s");
    expect(0, "lock_wait_s", 0);
    expect(0, "io_wait_s", 0.5);
}

Test(wait_logs, an_async_task_has_no_waits_of_its_own)
{
    struct cup_r_task_begin begin = {
        .task = 7, .prefix = 3, .start_ns = at_second(12), .origin = CUP_ORIGIN_ASYNC};
    struct cup_r_task_end end = {.task = 7,
                                 .status = CUP_STATUS_FINISHED,
                                 .stop_ns = at_second(15),
                                 .cpu_ns = CUP_UNKNOWN64};
    const uint64_t helper[CUP_COUNTER_COUNT] = {[CUP_C_POLL_WAIT_NS] = second};
    builder_begin(&builder, &begin, "x");
    BUILDER_ADD(&builder, CUP_R_TASK_END, end);
    add_block(7, CUP_BLOCK_HELPS, helper, NULL);
    load(all_waits, 1);
    expect_null(6, "io_wait_s");
    expect_null(6, "other_wait_s");
    expect(6, "helper_poll_wait_s", 1);
    cr_assert_eq(profile.prefixes[1].waits.tasks, 4);
}

Test(wait_logs, durations_of_two_logs_are_exact_sums)
{
    add_waits();
    load(all_waits, 2);
    const struct cup_prefix *dimuon = &profile.prefixes[1];
    cr_assert_eq(dimuon->durations[CUP_DURATION_READ][20], 16);
    cr_assert_eq(dimuon->durations[CUP_DURATION_GIL_WAIT][3], 8);
    cr_assert_eq(dimuon->counters[CUP_C_READ_LONGEST_NS], 2000000); /* of all, not their sum */
    cr_assert_eq(dimuon->durations[CUP_DURATION_TASK][cup_bucket(8 * second)], 2);
    cr_assert_eq(dimuon->longest_task_ns, 8 * second);
    cr_assert_eq(profile.counters[0][CUP_C_READ_LONGEST_NS], 2000000);
    const struct cup_durations tasks = cup_prefix_durations(dimuon, CUP_DURATION_TASK);
    cr_assert_eq(cup_durations_total(&tasks), 8);
    cr_assert_eq(cup_durations_longest_ns(&tasks), 8 * second);
}

Test(wait_logs, what_is_nobodys_is_in_no_histogram)
{
    const uint64_t buckets[CUP_HISTOGRAM_COUNT * CUP_BUCKETS] = {[20] = 4};
    const uint64_t values[CUP_COUNTER_COUNT] = {[CUP_C_IO_WAIT_NS] = second};
    struct cup_r_void voided = {.task = 1};
    BUILDER_ADD(&builder, CUP_R_VOID, voided);
    builder_header(&builder)->health[CUP_H_THREADS_VOIDED] = 1;
    add_block(1, CUP_BLOCK_INHERITS, values, buckets);
    add_block(0, CUP_BLOCK_HELPS, values, buckets);
    load(all_waits, 1);
    cr_assert_eq(profile.prefixes[1].durations[CUP_DURATION_READ][20], 0);
    expect(0, "helper_io_wait_s", 0);
    cr_assert_eq(profile.processes[0].without_task[CUP_C_IO_WAIT_NS], 2 * second);
}

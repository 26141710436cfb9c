/* Tasks that may have read more than their figures say are marked. */
#include <criterion/criterion.h>

#include <string.h>

#include "analysis/report/page/warnings.h"
#include "analysis/tasks/task_columns.h"
#include "tests/analysis/fixture.h"

/* Tasks 1 and 2 read 1000 bytes each. */
static void set_up(void)
{
    const uint64_t values[CUP_COUNTER_COUNT] = {[CUP_C_READ_OWN_BYTES] = 1000};
    start_fixture();
    builder_start(&builder);
    builder_header(&builder)->features |= CUP_FEATURE_FILES | CUP_FEATURE_UNATTRIBUTED;
    for (uint32_t task = 1; task <= 2; task++) {
        struct cup_r_task_begin begin = {.task = task,
                                         .origin = CUP_ORIGIN_DASK,
                                         .start_ns = at_second(10),
                                         .rss = CUP_UNKNOWN64,
                                         .run_id = -1};
        struct cup_r_task_end end = {
            .task = task, .status = CUP_STATUS_FINISHED, .stop_ns = at_second(20)};
        struct cup_r_counters block = {.task = task, .block = 1, .sequence = task, .own = 1};
        builder_begin(&builder, &begin, task == 1 ? "work-1" : "work-2");
        builder_counters(&builder, &block, values);
        BUILDER_ADD(&builder, CUP_R_TASK_END, end);
    }
}

TestSuite(unattributed, .init = set_up, .fini = end_fixture);

static void lacks(uint32_t task, enum cup_unattributed_reason reason, uint64_t bytes)
{
    struct cup_r_unattributed record = {.task = task};
    record.bytes[reason] = bytes;
    BUILDER_ADD(&builder, CUP_R_UNATTRIBUTED, record);
}

static void load(void)
{
    save_fixture("1.cup");
    load_fixture(&(struct cup_load_options){.counters = true});
}

static struct cup_value value_of(uint32_t task, const char *column)
{
    const struct cup_task_row row = {.profile = &profile, .task = &profile.tasks[task - 1]};
    return cup_task_value(&row, column);
}

/* The text of the first warning; empty: there is none. */
static const char *warning(void)
{
    static struct cup_warning warnings[CUP_WARNINGS_MOST];
    return cup_warnings_make(&totals, warnings) ? warnings[0].text : "";
}

Test(unattributed, a_task_is_marked_and_the_first_page_says_why)
{
    lacks(1, CUP_UNATTRIBUTED_MIXED, 500);
    lacks(1, CUP_UNATTRIBUTED_THREAD, 20);
    lacks(2, CUP_UNATTRIBUTED_THREAD, 10); /* 1 % */
    load();
    cr_expect_eq(value_of(1, "unattributed_bytes").count, 520);
    cr_expect_eq(value_of(2, "unattributed_bytes").count, 10);
    cr_expect(cup_task_is_partly_attributed(&profile, &profile.tasks[0]));
    cr_expect(!cup_task_is_partly_attributed(&profile, &profile.tasks[1]));
    cr_expect_eq(totals.all.partly, 1);
    cr_expect(strstr(warning(), "1 of 2 tasks may have read more") && strstr(warning(), "HTTP/2"),
              "%s", warning());
}

/* partly_attributed is null then: of tasks that began in a full log it is not known. */
Test(unattributed, warning_says_at_least_with_full_logs)
{
    lacks(1, CUP_UNATTRIBUTED_MIXED, 500);
    load();
    totals.all.partly_unknown = 1;
    cr_expect(strstr(warning(), "At least 1 of 2 tasks may have read more"), "%s", warning());
}

Test(unattributed, a_task_that_lacks_nothing_is_not_marked)
{
    load();
    cr_expect_eq(value_of(1, "unattributed_bytes").kind, CUP_VALUE_COUNT);
    cr_expect_eq(value_of(1, "unattributed_because").kind, CUP_VALUE_NULL);
    cr_expect_str_eq(warning(), "");
}

/* A thread that TASK started read BYTES, and then turned out to serve other tasks, too. */
static void starts_thread(uint32_t task, uint64_t bytes)
{
    const uint64_t values[CUP_COUNTER_COUNT] = {[CUP_C_READ_INHERITED_BYTES] = bytes};
    struct cup_r_counters block = {
        .task = task, .block = 2, .sequence = task, .own = CUP_BLOCK_INHERITS};
    builder_counters(&builder, &block, values);
    BUILDER_ADD(&builder, CUP_R_VOID, ((struct cup_r_void){.task = task}));
    builder_header(&builder)->health[CUP_H_THREADS_VOIDED] = 1;
}

static void begins(uint32_t task, unsigned second)
{
    struct cup_r_task_begin begin = {.task = task,
                                     .origin = CUP_ORIGIN_DASK,
                                     .start_ns = at_second(second),
                                     .rss = CUP_UNKNOWN64,
                                     .run_id = -1};
    builder_begin(&builder, &begin, "more-1");
}

static void runs(uint32_t task, unsigned from_second, unsigned to_second)
{
    struct cup_r_task_end end = {
        .task = task, .status = CUP_STATUS_FINISHED, .stop_ns = at_second(to_second)};
    begins(task, from_second);
    BUILDER_ADD(&builder, CUP_R_TASK_END, end);
}

static void expect_unattributed(uint32_t task, uint64_t bytes)
{
    cr_expect_eq(cup_rare_of(&profile, &profile.tasks[task - 1])->unattributed_bytes, bytes,
                 "task %u: %lu", task, value_of(task, "unattributed_bytes").count);
}

Test(unattributed, threads_that_served_others_count)
{
    starts_thread(2, 700);
    load();
    expect_unattributed(2, 700);
    cr_expect(cup_task_is_partly_attributed(&profile, &profile.tasks[1]));
}

/* What such a thread read may be of each task that ran while its starter ran: only then it counts
 * as inherited. */
Test(unattributed, threads_that_served_others_count_for_each_task_that_ran_at_that_time)
{
    runs(3, 9, 10);  /* ended as the starter began */
    runs(4, 9, 11);  /* ran when it began */
    runs(5, 12, 13); /* while it ran */
    runs(6, 19, 30); /* when it ended */
    runs(7, 20, 30); /* began as it ended */
    begins(8, 15);
    begins(9, 25);
    starts_thread(2, 700);
    load();
    const uint64_t expected[] = {700, 700, 0, 700, 700, 700, 0, 700, 0};
    for (uint32_t task = 1; task <= 9; task++)
        expect_unattributed(task, expected[task - 1]);
    cr_expect_eq(value_of(4, "unattributed_because").kind, CUP_VALUE_TEXT);
}

Test(unattributed, threads_of_several_tasks_are_added_up)
{
    runs(3, 10, 11);
    runs(4, 12, 14);
    runs(5, 18, 22);
    runs(6, 21, 23);
    begins(7, 22);
    starts_thread(3, 1);
    starts_thread(4, 20);
    starts_thread(5, 300);
    starts_thread(7, 4000);
    load();
    const uint64_t expected[] = {321, 321, 1, 20, 300, 4300, 4000};
    for (uint32_t task = 1; task <= 7; task++)
        expect_unattributed(task, expected[task - 1]);
}

Test(unattributed, threads_that_served_no_other_task_leave_the_tasks_alone)
{
    const uint64_t values[CUP_COUNTER_COUNT] = {[CUP_C_READ_INHERITED_BYTES] = 700};
    struct cup_r_counters block = {.task = 1, .block = 2, .sequence = 1, .own = CUP_BLOCK_INHERITS};
    builder_counters(&builder, &block, values);
    starts_thread(2, 5);
    load();
    expect_unattributed(1, 5);
    expect_unattributed(2, 5);
    cr_expect_eq(profile.tasks[0].read_bytes, 1700);
}

/* A task that the report leaves out may have started the thread. */
Test(unattributed, threads_of_a_task_that_is_left_out_count)
{
    runs(3, 15, 25);
    starts_thread(2, 700);
    save_fixture("1.cup");
    load_fixture(&(struct cup_load_options){.from_ns = at_second(12), .to_ns = at_second(60)});
    cr_assert_eq(profile.task_count, 1);
    expect_unattributed(1, 700);
}

/* The waits of such a task may be waits for a server, so they are no evidence for locks. */
Test(unattributed, waits_for_locks_of_a_task_that_ran_at_that_time_are_unsure)
{
    const uint64_t values[CUP_COUNTER_COUNT] = {[CUP_C_LOCK_WAIT_NS] = 1000000};
    struct cup_r_counters block = {.task = 3, .block = 1, .sequence = 3, .own = 1};
    struct cup_r_task_end end = {
        .task = 3, .status = CUP_STATUS_FINISHED, .stop_ns = at_second(30)};
    builder_header(&builder)->features |= CUP_FEATURE_WAITS;
    begins(3, 15);
    builder_counters(&builder, &block, values);
    BUILDER_ADD(&builder, CUP_R_TASK_END, end);
    starts_thread(2, 700);
    load();
    uint32_t prefix = cup_task_prefix(&profile, &profile.tasks[2]);
    cr_expect_eq(profile.prefixes[prefix].waits.unsure_lock_ns, 1000000);
}

Test(unattributed, an_older_library_did_not_say)
{
    builder_header(&builder)->features &= ~(uint64_t)CUP_FEATURE_UNATTRIBUTED;
    load();
    cr_expect_eq(value_of(1, "unattributed_bytes").kind, CUP_VALUE_NULL);
}

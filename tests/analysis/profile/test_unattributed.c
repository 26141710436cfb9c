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

/* What threads did that the task started, before they turned out to serve other tasks, too. */
Test(unattributed, threads_that_served_others_count)
{
    const uint64_t values[CUP_COUNTER_COUNT] = {[CUP_C_READ_INHERITED_BYTES] = 700};
    struct cup_r_counters block = {.task = 2, .block = 2, .sequence = 1, .own = CUP_BLOCK_INHERITS};
    builder_counters(&builder, &block, values);
    BUILDER_ADD(&builder, CUP_R_VOID, ((struct cup_r_void){.task = 2}));
    builder_header(&builder)->health[CUP_H_THREADS_VOIDED] = 1;
    load();
    cr_expect_eq(value_of(2, "unattributed_bytes").count, 700);
    cr_expect(cup_task_is_partly_attributed(&profile, &profile.tasks[1]));
}

Test(unattributed, an_older_library_did_not_say)
{
    builder_header(&builder)->features &= ~(uint64_t)CUP_FEATURE_UNATTRIBUTED;
    load();
    cr_expect_eq(value_of(1, "unattributed_bytes").kind, CUP_VALUE_NULL);
}

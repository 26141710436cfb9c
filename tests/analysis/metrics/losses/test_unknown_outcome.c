/* Tasks that ended in a version of Dask whose worker the library cannot read: nothing is said to
 * have failed, and nothing is said to be whole. */
#include <criterion/criterion.h>

#include "analysis/metrics/losses/losses.h"
#include "analysis/tasks/task_columns.h"
#include "tests/analysis/fixture.h"

TestSuite(unknown_outcome, .init = start_fixture, .fini = end_fixture);

static void add_item(struct cup_r_task_begin begin, uint32_t kind, const char *key,
                     enum cup_task_status status)
{
    uint32_t number = begin.task;
    begin.start_ns = at_second(number);
    struct cup_r_task_end end = {.task = number,
                                 .status = status,
                                 .stop_ns = at_second(number + 1),
                                 .cpu_ns = 1,
                                 .result_bytes = CUP_UNKNOWN64};
    struct cup_r_item item = {.task = number, .kind = kind, .entry_start = 0, .entry_stop = 100};
    builder_begin(&builder, &begin, key);
    BUILDER_ADD(&builder, CUP_R_ITEM, item);
    BUILDER_ADD(&builder, CUP_R_TASK_END, end);
}

static void add_chunk(uint32_t number, const char *key, enum cup_task_status status)
{
    add_item((struct cup_r_task_begin){.task = number, .origin = CUP_ORIGIN_DASK}, CUP_ITEM_WORK,
             key, status);
}

/* Without Dask the key does not tell attempts from other tasks: their numbers do. */
static void add_attempt(uint32_t number, int64_t attempt, uint32_t kind,
                        enum cup_task_status status)
{
    add_item(
        (struct cup_r_task_begin){
            .task = number, .tid = 5, .run_id = attempt, .origin = CUP_ORIGIN_COFFEA},
        kind, "file", status);
}

static void load_chunks(void)
{
    struct cup_r_run run = {.run = 1,
                            .start_ns = at_second(0),
                            .stop_ns = at_second(9),
                            .not_after_ns = at_second(9),
                            .plan = CUP_PLAN_KNOWN,
                            .chunks = 2,
                            .chunks_read = 2,
                            .events = 200};
    BUILDER_ADD(&builder, CUP_R_RUN, run);
    save_fixture("a.cup");
    load_fixture(&(struct cup_load_options){.counters = true});
}

Test(unknown_outcome, is_neither_success_nor_failure)
{
    add_chunk(1, "one", CUP_STATUS_UNKNOWN);
    add_chunk(2, "two", (enum cup_task_status)7); /* of a newer library */
    load_chunks();
    cr_expect_eq(totals.all.unknown, 2);
    cr_expect_eq(totals.all.erred + totals.all.finished + totals.all.unfinished, 0);
    cr_expect_eq(totals.unknown_chunks, 2);
    cr_expect_eq(totals.failed_chunks + totals.used_chunks, 0);
    cr_expect_eq(cup_waste_sum(totals.waste).tasks, 0);
    cr_expect_eq(totals.losses->count, 0);
    cr_expect_str_eq(cup_task_status_name(&profile, &profile.tasks[0]), "unknown");
    cr_expect_not(cup_task_is_bad(&profile, &profile.tasks[0]));
}

Test(unknown_outcome, leaves_completeness_unknown)
{
    add_chunk(1, "one", CUP_STATUS_UNKNOWN);
    add_chunk(2, "two", CUP_STATUS_UNKNOWN);
    load_chunks();
    cr_expect_eq(totals.completeness->state, CUP_RUN_UNKNOWN);
    cr_expect_not_null(totals.completeness->reason);
    cr_expect_eq(totals.completeness->failed_chunks, 0);
}

Test(unknown_outcome, of_another_attempt_is_no_loss)
{
    add_chunk(1, "one", CUP_STATUS_ERRED);
    add_chunk(2, "one", CUP_STATUS_UNKNOWN);
    load_chunks();
    cr_assert_eq(totals.losses->count, 1);
    cr_expect_eq(totals.losses->rows[0].outcome, CUP_LOSS_UNKNOWN);
    cr_expect_eq(cup_losses_chunks(&totals.losses->sums), 0);
}

Test(unknown_outcome, attempts_without_dask_are_those_of_a_thread)
{
    add_attempt(1, 0, CUP_ITEM_WORK, CUP_STATUS_ERRED);
    add_attempt(2, 1, CUP_ITEM_WORK, CUP_STATUS_ERRED);
    add_attempt(3, 2, CUP_ITEM_WORK, CUP_STATUS_FINISHED);
    add_attempt(4, 0, CUP_ITEM_WORK, CUP_STATUS_FINISHED);
    load_chunks();
    cr_expect_eq(totals.used_chunks, 2);
    cr_expect_eq(totals.retried_chunks, 1);
    cr_expect_eq(totals.completeness->failed_chunks, 0);
    cr_expect_eq(totals.losses->sums.chunks[CUP_LOSS_LOST], 0);
}

Test(unknown_outcome, of_metadata_is_known_by_a_later_chunk)
{
    add_attempt(1, 0, CUP_ITEM_METADATA, CUP_STATUS_UNKNOWN);
    add_attempt(2, 0, CUP_ITEM_WORK, CUP_STATUS_FINISHED);
    add_attempt(3, 0, CUP_ITEM_METADATA, CUP_STATUS_UNKNOWN);
    load_chunks();
    cr_expect_eq(totals.all.unknown, 1);
    cr_expect_eq(profile.tasks[0].status, CUP_STATUS_FINISHED);
    cr_expect_eq(profile.tasks[2].status, CUP_STATUS_UNKNOWN);
}

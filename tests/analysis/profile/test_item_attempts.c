/* Without Dask, another process tries an item again: the attempts are one chunk. */
#include <criterion/criterion.h>

#include "analysis/metrics/losses/losses.h"
#include "tests/analysis/fixture.h"

TestSuite(item_attempts, .init = start_fixture, .fini = end_fixture);

#define NEVER_ENDS ((enum cup_task_status)0)

/* A task on the entries from START on, in a thread of its own. */
static void add_task(uint32_t number, int64_t start, enum cup_task_status status)
{
    const struct cup_r_task_begin begin = {
        .task = number, .tid = number, .origin = CUP_ORIGIN_COFFEA, .start_ns = at_second(number)};
    struct cup_r_item item = {
        .task = number, .kind = CUP_ITEM_WORK, .entry_start = start, .entry_stop = start + 100};
    struct cup_r_task_end end = {.task = number,
                                 .status = status,
                                 .stop_ns = at_second(number + 0.5),
                                 .cpu_ns = 1,
                                 .result_bytes = CUP_UNKNOWN64};
    builder_begin(&builder, &begin, "key");
    BUILDER_ADD(&builder, CUP_R_ITEM, item);
    if (status != NEVER_ENDS)
        BUILDER_ADD(&builder, CUP_R_TASK_END, end);
}

/* A call of a Runner, from START to STOP (seconds). */
static void add_run(uint32_t number, double start, double stop)
{
    struct cup_r_run run = {.run = number,
                            .start_ns = at_second(start),
                            .stop_ns = at_second(stop),
                            .not_after_ns = at_second(stop)};
    BUILDER_ADD(&builder, CUP_R_RUN, run);
    builder_header(&builder)->health[CUP_H_RUNS]++;
}

/* Two calls process the chunk that has this key. */
static void add_chunk_of_two_calls(enum cup_task_status first, enum cup_task_status second)
{
    const enum cup_task_status statuses[] = {first, second};
    add_run(1, 0.5, 2);
    add_run(2, 2.5, 4);
    for (uint32_t i = 0; i < 2; i++) {
        const struct cup_r_task_begin begin = {.task = i + 1,
                                               .tid = 1,
                                               .origin = CUP_ORIGIN_DASK,
                                               .start_ns = at_second(1 + 2 * i),
                                               .run_id = -1};
        const struct cup_r_item item = {.task = i + 1, .kind = CUP_ITEM_WORK, .entry_stop = 100};
        const struct cup_r_task_end end = {.task = i + 1,
                                           .status = statuses[i],
                                           .stop_ns = at_second(1.5 + 2 * i),
                                           .result_bytes = CUP_UNKNOWN64};
        builder_begin(&builder, &begin, "chunk-1");
        BUILDER_ADD(&builder, CUP_R_ITEM, item);
        BUILDER_ADD(&builder, CUP_R_TASK_END, end);
    }
}

static void load(unsigned run)
{
    builder_header(&builder)->log_stop_ns = at_second(20);
    save_fixture("a.cup");
    load_fixture(&(struct cup_load_options){.counters = true, .run = run});
}

static void expect_losses(size_t rows, uint8_t outcome)
{
    cr_assert_eq(totals.losses->count, rows, "%zu rows", totals.losses->count);
    for (size_t i = 0; i < rows; i++)
        cr_expect_eq(totals.losses->rows[i].outcome, outcome, "%s",
                     cup_loss_names[totals.losses->rows[i].outcome]);
}

Test(item_attempts, a_killed_one_is_recovered_by_the_next)
{
    add_task(1, 0, NEVER_ENDS);
    add_task(2, 100, CUP_STATUS_FINISHED);
    add_task(3, 0, CUP_STATUS_FINISHED);
    load(0);
    expect_losses(1, CUP_LOSS_RECOVERED);
    cr_expect_eq(totals.losses->rows[0].attempts, 2);
    cr_expect_eq(totals.used_chunks, 2);
}

Test(item_attempts, one_that_failed_in_another_process_is_recovered)
{
    add_task(1, 0, CUP_STATUS_ERRED);
    add_task(2, 0, CUP_STATUS_ERRED);
    add_task(3, 0, CUP_STATUS_FINISHED);
    load(0);
    expect_losses(1, CUP_LOSS_RECOVERED);
    cr_expect_eq(totals.losses->rows[0].attempts, 3);
}

Test(item_attempts, two_results_are_two_chunks)
{
    add_task(1, 0, CUP_STATUS_FINISHED);
    add_task(2, 0, CUP_STATUS_FINISHED);
    load(0);
    expect_losses(0, 0);
    cr_expect_eq(totals.used_chunks, 2);
}

Test(item_attempts, are_of_one_call)
{
    add_run(1, 0.5, 2);
    add_run(2, 2.5, 4);
    add_task(1, 0, CUP_STATUS_ERRED);
    add_task(3, 0, CUP_STATUS_FINISHED);
    load(1);
    expect_losses(1, CUP_LOSS_LOST);
}

Test(item_attempts, one_in_each_call_is_no_retry)
{
    add_chunk_of_two_calls(CUP_STATUS_FINISHED, CUP_STATUS_FINISHED);
    load(CUP_ALL_RUNS);
    cr_expect_eq(totals.used_chunks, 2);
    cr_expect_eq(totals.repeated_chunks, 0);
    cr_expect_eq(totals.retried_chunks, 0);
    cr_expect_eq(totals.events, 200);
}

Test(item_attempts, a_failure_is_not_recovered_by_another_call)
{
    add_chunk_of_two_calls(CUP_STATUS_ERRED, CUP_STATUS_FINISHED);
    load(CUP_ALL_RUNS);
    cr_expect_eq(totals.retried_chunks, 0);
    expect_losses(1, CUP_LOSS_LOST);
}

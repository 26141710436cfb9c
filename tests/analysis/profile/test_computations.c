/* A graph that is computed twice without a Runner has every key twice: which tasks are attempts at
 * one result, and which are work of their own. */
#include <criterion/criterion.h>

#include <stdlib.h>

#include "analysis/profile/load/computations.h"
#include "analysis/tasks/task_columns.h"
#include "tests/analysis/fixture.h"

TestSuite(computations, .init = start_fixture, .fini = end_fixture);

static void begin_log(enum cup_role role, uint32_t pid, double start, double stop, double last_tick)
{
    struct cup_r_server server = {
        .id = 1, .role = role, .threads = 1, .stop_ns = last_tick > 0 ? at_second(last_tick) : 0};
    builder_free(&builder);
    builder_start(&builder);
    builder_header(&builder)->pid = pid;
    builder_header(&builder)->log_start_ns = at_second(start);
    builder_header(&builder)->log_stop_ns = at_second(stop);
    BUILDER_ADD(&builder, CUP_R_SERVER, server);
}

static void begin_worker(uint32_t pid, double start, double stop)
{
    begin_log(CUP_ROLE_WORKER, pid, start, stop, stop);
}

static void end_log(const char *name)
{
    save_fixture(name);
}

static void add_task(uint32_t number, const char *key, double start, double stop,
                     enum cup_task_status status)
{
    struct cup_r_task_begin begin = {.task = number,
                                     .tid = 1,
                                     .server = 1,
                                     .origin = CUP_ORIGIN_DASK,
                                     .start_ns = at_second(start)};
    struct cup_r_task_end end = {
        .task = number, .status = (uint32_t)status, .stop_ns = at_second(stop), .result_bytes = 99};
    builder_begin(&builder, &begin, key);
    BUILDER_ADD(&builder, CUP_R_TASK_END, end);
}

static void add_chunk(uint32_t number, const char *key, double start, double stop,
                      enum cup_task_status status)
{
    struct cup_r_item item = {
        .task = number, .kind = CUP_ITEM_WORK, .entry_start = 0, .entry_stop = 100};
    add_task(number, key, start, stop, status);
    BUILDER_ADD(&builder, CUP_R_ITEM, item);
}

/* A chunk that worker 1 finished from 1 s to 2 s. */
static void add_first(double stop)
{
    begin_worker(1, 0, stop);
    add_chunk(1, "chunk", 1, 2, CUP_STATUS_FINISHED);
    end_log("1.cup");
}

/* The same again by worker 2, from 10 s to 11 s. */
static void add_second(enum cup_task_status status)
{
    begin_worker(2, 0, 20);
    add_chunk(1, "chunk", 10, 11, status);
    end_log("2.cup");
}

static void load(void)
{
    load_fixture(&(struct cup_load_options){.run = CUP_ALL_RUNS});
}

static void expect_two_chunks(void)
{
    load();
    uint32_t *attempts = cup_task_attempts(&profile);
    cr_expect_eq(totals.used_chunks, 2);
    cr_expect_eq(totals.events, 200);
    cr_expect_eq(totals.retried_chunks, 0);
    cr_expect_eq(totals.losses->count, 0);
    cr_expect_eq(cup_waste_sum(totals.waste).tasks, 0);
    cr_expect_eq(attempts[0], 1);
    cr_expect_eq(attempts[1], 1);
    free(attempts);
}

static void expect_one_chunk(void)
{
    load();
    cr_expect_eq(totals.used_chunks, 1);
    cr_expect_eq(totals.repeated_chunks, 1);
    cr_expect_eq(totals.events, 100);
}

Test(computations, of_the_same_graph_are_added_up)
{
    add_first(20);
    add_second(CUP_STATUS_FINISHED);
    expect_two_chunks();
}

Test(computations, a_lost_worker_makes_dask_run_a_task_again)
{
    add_first(20);
    begin_worker(3, 0, 5); /* with a result that was made of the chunk's */
    end_log("3.cup");
    add_second(CUP_STATUS_FINISHED);
    expect_one_chunk();
}

/* Worker 3 ticks until 9 s, and its task runs until 12 s. The scheduler lets worker 2 run the chunk
 * again in between. */
Test(computations, a_worker_that_closes_may_still_run_a_task)
{
    add_first(20);
    begin_log(CUP_ROLE_WORKER, 3, 0, 13, 9);
    add_task(1, "last", 8, 12, CUP_STATUS_FINISHED);
    end_log("3.cup");
    add_second(CUP_STATUS_FINISHED);
    expect_one_chunk();
}

Test(computations, a_worker_that_was_gone_before_explains_nothing)
{
    add_first(20);
    begin_worker(3, 0, 1.5);
    end_log("3.cup");
    add_second(CUP_STATUS_FINISHED);
    expect_two_chunks();
}

/* Its log was not closed: it may have ended later. */
Test(computations, the_end_of_a_killed_worker_is_not_known_exactly)
{
    add_first(20);
    begin_log(CUP_ROLE_WORKER, 3, 0, 1.5, 0);
    builder_header(&builder)->log_stop_ns = 0;
    add_task(1, "other", 0.5, 1.5, CUP_STATUS_FINISHED);
    end_log("3.cup");
    add_second(CUP_STATUS_FINISHED);
    expect_one_chunk();
}

/* Worker 1 ticked last at 9.5 s, before the chunk began, but its process ended after worker 2's
 * last tick. */
Test(computations, workers_that_close_together_lose_nothing)
{
    begin_log(CUP_ROLE_WORKER, 1, 0, 13, 9.5);
    add_chunk(1, "chunk", 1, 2, CUP_STATUS_FINISHED);
    end_log("1.cup");
    begin_log(CUP_ROLE_WORKER, 2, 0, 13, 12);
    add_chunk(1, "chunk", 10, 11, CUP_STATUS_FINISHED);
    end_log("2.cup");
    expect_two_chunks();
}

Test(computations, of_two_scripts_are_added_up)
{
    add_first(5);
    begin_log(CUP_ROLE_CLIENT, 7, 6, 20, 0);
    end_log("7.cup");
    add_second(CUP_STATUS_FINISHED);
    expect_two_chunks();
}

Test(computations, within_a_runners_call_are_attempts)
{
    const struct cup_r_run call = {.run = 1, .start_ns = at_second(0), .stop_ns = at_second(20)};
    add_first(20);
    begin_log(CUP_ROLE_CLIENT, 7, 0, 20, 0);
    BUILDER_ADD(&builder, CUP_R_RUN, call);
    builder_header(&builder)->health[CUP_H_RUNS] = 1;
    end_log("7.cup");
    add_second(CUP_STATUS_FINISHED);
    expect_one_chunk();
}

Test(computations, a_failure_in_the_second_one_is_not_made_good_by_the_first)
{
    add_first(20);
    add_second(CUP_STATUS_ERRED);
    load();
    cr_expect_eq(totals.used_chunks, 1);
    cr_expect_eq(totals.failed_chunks, 1);
    cr_assert_eq(totals.losses->count, 1);
    cr_expect_eq(totals.losses->rows[0].outcome, CUP_LOSS_LOST);
}

Test(computations, a_failure_and_its_retry_are_of_one)
{
    add_first(20);
    begin_worker(2, 0, 20);
    add_chunk(1, "chunk", 10, 11, CUP_STATUS_ERRED);
    add_chunk(2, "chunk", 11, 12, CUP_STATUS_FINISHED);
    end_log("2.cup");
    load();
    cr_expect_eq(totals.used_chunks, 2);
    cr_expect_eq(totals.retried_chunks, 1);
    cr_assert_eq(totals.losses->count, 1);
    cr_expect_eq(totals.losses->rows[0].outcome, CUP_LOSS_RECOVERED);
    cr_expect_eq(totals.losses->rows[0].attempts, 2);
}

/* A key may have been computed many times, and in the logs not in the order of time. */
Test(computations, only_the_one_whose_result_was_lost_is_left_out)
{
    add_second(CUP_STATUS_FINISHED);
    begin_worker(3, 0, 12.5); /* after the second one */
    end_log("3.cup");
    begin_worker(1, 0, 20);
    add_chunk(1, "chunk", 14, 15, CUP_STATUS_FINISHED);
    add_chunk(2, "chunk", 1, 2, CUP_STATUS_FINISHED);
    end_log("1.cup");
    load();
    cr_expect_eq(totals.used_chunks, 2);
    cr_expect_eq(totals.repeated_chunks, 1);
    cr_assert_eq(totals.losses->count, 1);
    cr_expect_eq(profile.tasks[profile.items[totals.losses->rows[0].item].task].start_ns,
                 at_second(10));
}

Test(computations, merges_find_their_inputs)
{
    add_first(20);
    begin_worker(2, 0, 20);
    add_chunk(1, "chunk", 10, 11, CUP_STATUS_FINISHED);
    for (uint32_t task = 2; task <= 3; task++) {
        struct cup_r_inputs inputs = {
            .task = task, .count = 1, .bytes = 10, .key_bytes = sizeof "chunk" - 1};
        add_task(task, "merge", task == 2 ? 3 : 12, task == 2 ? 4 : 13, CUP_STATUS_FINISHED);
        builder_record(&builder, CUP_R_INPUTS, &inputs, sizeof inputs, "chunk", inputs.key_bytes);
    }
    end_log("2.cup");
    load();
    cr_expect_eq(totals.used_chunks, 2);
    cr_expect_eq(cup_merge_sum(totals.merge, false).tasks, 2);
    cr_expect_eq(totals.merge->levels[0].level, 1);
}

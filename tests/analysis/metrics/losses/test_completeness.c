/* Whether the golden run, which has 3 chunks that were used, did all that its client planned. */
#include <criterion/criterion.h>

#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/metrics/totals.h"
#include "analysis/profile/runs.h"
#include "tests/analysis/support.h"

static char scratch[SUPPORT_PATH];
static struct cup_profile profile;
static struct cup_totals totals;
static struct log_builder client;
static struct cup_r_run run;

static void set_up(void)
{
    struct log_builder worker;
    make_scratch(scratch);
    build_golden_log(&worker);
    save_log(&worker, scratch, "a.cup");
    builder_free(&worker);
    builder_start(&client);
    builder_header(&client)->pid = 77;
    builder_header(&client)->log_stop_ns = at_second(31);
    run = (struct cup_r_run){.run = 1, .start_ns = at_second(8), .stop_ns = at_second(30)};
}

static void tear_down(void)
{
    builder_free(&client);
    cup_totals_free(&totals);
    cup_profile_free(&profile);
    remove_scratch(scratch);
}

TestSuite(completeness, .init = set_up, .fini = tear_down);

static void plan(uint64_t chunks, uint64_t events)
{
    run.plan = CUP_PLAN_KNOWN;
    run.chunks = run.chunks_read = chunks;
    run.events = events;
}

static void save_client(void)
{
    BUILDER_ADD(&client, CUP_R_RUN, run);
    builder_header(&client)->health[CUP_H_RUNS]++;
    builder_finish(&client);
    save_log(&client, scratch, "b.cup");
}

static void load_with(const struct cup_load_options *options)
{
    struct cup_error error;
    cr_assert_eq(cup_profile_load(&profile, scratch, options, &error), 0, "%s", error.text);
    cr_assert_eq(cup_totals_make(&totals, &profile), 0);
}

static const struct cup_completeness *load(void)
{
    const struct cup_load_options options = {.counters = true};
    load_with(&options);
    return totals.completeness;
}

static void expect(enum cup_run_state state, const char *part)
{
    const struct cup_completeness *c = load();
    cr_expect_eq(c->state, state, "%s", c->sentence);
    cr_expect(strstr(c->sentence, part), "\"%s\" is not in: %s", part, c->sentence);
}

/* The golden run has lost no chunk for good, but one of its tasks never ended. */
Test(completeness, without_the_client_it_is_not_known)
{
    expect(CUP_RUN_UNKNOWN, "the client, which plans the chunks, was not profiled");
    cr_expect(isnan(cup_completeness_share(totals.completeness)));
}

static void note(const char *text)
{
    const struct cup_r_note note = {.text = 9};
    builder_string(&client, note.text, text);
    BUILDER_ADD(&client, CUP_R_NOTE, note);
    builder_finish(&client);
    save_log(&client, scratch, "b.cup");
}

Test(completeness, of_a_python_that_is_not_recorded)
{
    note("Dask and Coffea are not recorded: unknown interpreter");
    expect(CUP_RUN_UNKNOWN, "Dask and Coffea are not recorded with this Python.");
}

Test(completeness, of_a_coffea_that_is_too_old)
{
    note("chunks are not recorded: coffea 0.7.21 is older than 0.7.22");
    expect(CUP_RUN_UNKNOWN, "chunks of so old a release of Coffea are not recorded.");
}

Test(completeness, of_a_dask_that_is_too_old)
{
    note("tasks are not recorded: distributed 2021.12.0 is older than 2022.1");
    expect(CUP_RUN_UNKNOWN, "tasks of so old a release of Dask are not recorded.");
}

Test(completeness, all_that_was_planned)
{
    plan(3, 5000);
    save_client();
    expect(CUP_RUN_COMPLETE, "Complete: 5,000 events, 3 chunks.");
}

/* A partition of uproot.dask that the program computes while the Runner's call goes on. */
Test(completeness, a_chunk_that_no_runner_planned_does_not_count)
{
    struct log_builder other;
    const struct cup_r_task_begin begin = {
        .task = 1, .tid = 1, .origin = CUP_ORIGIN_DASK, .start_ns = at_second(20)};
    const struct cup_r_item item = {.task = 1, .kind = CUP_ITEM_READ, .entry_stop = 100};
    const struct cup_r_task_end end = {.task = 1,
                                       .status = CUP_STATUS_FINISHED,
                                       .stop_ns = at_second(21),
                                       .result_bytes = CUP_UNKNOWN64};
    plan(4, 6000);
    save_client();
    builder_start(&other);
    builder_begin(&other, &begin, "read-1");
    BUILDER_ADD(&other, CUP_R_ITEM, item);
    BUILDER_ADD(&other, CUP_R_TASK_END, end);
    builder_finish(&other);
    save_log(&other, scratch, "c.cup");
    builder_free(&other);
    const struct cup_completeness *c = load();
    cr_expect_eq(totals.used_chunks, 4);
    cr_expect_eq(c->done_chunks, 3);
    cr_expect_eq(c->done_events, 5000);
    cr_expect_neq(c->state, CUP_RUN_COMPLETE, "%s", c->sentence);
}

/* Chunks that began when the log of their worker was full: their keys are not known. */
static const struct cup_completeness *load_with_full_log(uint64_t used, uint64_t skipped)
{
    static struct cup_task_totals sums;
    struct log_builder other;
    for (int i = 0; i < 2; i++) {
        struct cup_total *total = &sums.entries[CUP_TOTAL_OTHERS + 1 + i];
        *total = (struct cup_total){.used = 1, .key = {.item = CUP_ITEM_WORK, .skipped = i == 1}};
        uint64_t *values = total->values[CUP_STATUS_FINISHED - 1];
        values[CUP_T_TASKS] = i ? skipped : used;
        values[CUP_T_EVENTS] = 100 * values[CUP_T_TASKS];
        values[CUP_T_FIRST_NS] = values[CUP_T_LAST_START_NS] = (uint64_t)at_second(20);
        values[CUP_T_LAST_NS] = (uint64_t)at_second(21);
    }
    save_client();
    builder_start(&other);
    builder_totals(&other, &sums);
    builder_finish(&other);
    save_log(&other, scratch, "c.cup");
    builder_free(&other);
    return load();
}

/* One of them may have been done twice. */
Test(completeness, is_unknown_with_full_logs)
{
    plan(5, 5200);
    const struct cup_completeness *c = load_with_full_log(2, 0);
    cr_expect_eq(c->done_chunks, 5);
    cr_expect_eq(c->state, CUP_RUN_UNKNOWN, "%s", c->sentence);
    cr_expect(strstr(c->sentence, "began when their log was full"), "%s", c->sentence);
}

Test(completeness, of_summed_chunks_that_are_too_few_is_not_known)
{
    plan(6, 5300);
    const struct cup_completeness *c = load_with_full_log(2, 0);
    cr_expect_eq(c->state, CUP_RUN_UNKNOWN, "%s", c->sentence);
    cr_expect(strstr(c->sentence, "logs were full"), "%s", c->sentence);
}

/* The client was killed at the end. */
Test(completeness, more_summed_chunks_than_planned_are_remarked)
{
    plan(4, 5100);
    builder_header(&client)->log_stop_ns = 0;
    const struct cup_completeness *c = load_with_full_log(2, 0);
    cr_expect_eq(c->state, CUP_RUN_ABORTED, "%s", c->sentence);
    cr_expect(strstr(c->sentence, "counts twice."), "%s", c->sentence);
}

Test(completeness, a_summed_chunk_that_was_skipped_is_missing)
{
    plan(5, 5200);
    const struct cup_completeness *c = load_with_full_log(1, 1);
    cr_expect_eq(c->done_chunks, 4);
    cr_expect_eq(c->skipped_chunks, 1);
    cr_expect_eq(c->state, CUP_RUN_SKIPPED, "%s", c->sentence);
}

/* Dask processes a chunk once that is listed twice, and Coffea counts its events twice. */
Test(completeness, a_file_that_is_listed_twice)
{
    plan(5, 8000);
    run.chunks_repeated = 2;
    run.events_repeated = 3000;
    save_client();
    expect(CUP_RUN_COMPLETE,
           "Complete: 5,000 events, 3 chunks. A file is listed more than once: the "
           "result counts the events of 2 chunks again.");
}

Test(completeness, as_far_as_maxchunks_allows)
{
    plan(3, 5000);
    run.max_chunks = 3;
    save_client();
    expect(CUP_RUN_COMPLETE, "Complete, as far as maxchunks=3 allows for each dataset: ");
}

/* Dask's servers of the client's process. */
static void add_server(uint32_t id, enum cup_role role)
{
    struct cup_r_server server = {.id = id, .role = role};
    BUILDER_ADD(&client, CUP_R_SERVER, server);
}

Test(completeness, other_workers_may_have_done_the_rest)
{
    plan(6, 10000);
    add_server(1, CUP_ROLE_WORKER);
    save_client();
    expect(CUP_RUN_UNKNOWN, "the scheduler was not profiled");
}

Test(completeness, chunks_are_missing)
{
    plan(6, 10000);
    run.not_after_ns = at_second(30.5);
    add_server(1, CUP_ROLE_WORKER);
    add_server(2, CUP_ROLE_SCHEDULER);
    save_client();
    expect(CUP_RUN_ABORTED, "Aborted at 50 % (5,000 of 10,000 events, 3 of 6 chunks): the");
}

Test(completeness, a_client_that_was_killed)
{
    plan(6, 10000);
    builder_header(&client)->log_stop_ns = 0;
    save_client();
    expect(CUP_RUN_ABORTED, "the client ended without notice");
}

Test(completeness, a_client_that_was_interrupted)
{
    struct cup_r_info info = {.name = 1, .value = 2};
    plan(6, 10000);
    builder_header(&client)->log_stop_ns = 0;
    builder_string(&client, 1, "uncaught_exception");
    builder_string(&client, 2, "KeyboardInterrupt");
    BUILDER_ADD(&client, CUP_R_INFO, info);
    save_client();
    expect(CUP_RUN_ABORTED, "interrupted (Ctrl-C)");
}

/* Killed while the results were merged. */
Test(completeness, all_chunks_but_no_result)
{
    plan(3, 5000);
    builder_header(&client)->log_stop_ns = 0;
    save_client();
    expect(CUP_RUN_ABORTED, "before the results were merged");
}

Test(completeness, a_plan_that_cannot_be_read)
{
    run.plan = CUP_PLAN_UNREADABLE;
    save_client();
    expect(CUP_RUN_UNKNOWN, "a generator");
}

/* As older versions wrote it. */
Test(completeness, a_record_without_a_plan)
{
    builder_record(&client, CUP_R_RUN, &run, offsetof(struct cup_r_run, plan), NULL, 0);
    builder_header(&client)->health[CUP_H_RUNS]++;
    builder_finish(&client);
    save_log(&client, scratch, "b.cup");
    expect(CUP_RUN_UNKNOWN, "did not see the chunks");
}

/* All runs have one plan: the sum. */
Test(completeness, several_runs)
{
    const struct cup_load_options all = {.counters = true, .run = CUP_ALL_RUNS};
    plan(2, 4000);
    run.stop_ns = at_second(17.5);
    BUILDER_ADD(&client, CUP_R_RUN, run);
    run.run = 2;
    run.start_ns = at_second(17.9); /* both attempts at the third chunk are of the second run */
    run.stop_ns = at_second(30);
    plan(1, 1000);
    save_client();
    load_with(&all);
    cr_expect_eq(totals.completeness->planned_chunks, 3);
    cr_expect_eq(totals.completeness->state, CUP_RUN_COMPLETE, "%s", totals.completeness->sentence);
}

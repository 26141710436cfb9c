/* A log that grows: each look gives what reading the whole log at that moment gives. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "analysis/live/live.h"
#include "analysis/metrics/functions/call_tree.h"
#include "analysis/metrics/sums/sums.h"
#include "tests/analysis/fixture.h"
#include "tests/analysis/stack_logs.h"

static struct cup_live live;
static char path[2 * SUPPORT_PATH];

static void start(void)
{
    start_fixture();
    snprintf(path, sizeof path, "%s/a.cup", scratch);
}

static void end(void)
{
    cup_live_free(&live);
    end_fixture();
}

TestSuite(live, .init = start, .fini = end);

static void open_live(void)
{
    struct cup_error error;
    cr_assert_eq(cup_live_open(&live, scratch, &error), 0, "%s", error.text);
}

static void look_at(double second)
{
    struct cup_error error;
    cr_assert_eq(cup_live_look(&live, at_second(second), &error), 0, "%s", error.text);
}

static void look(void)
{
    look_at(60);
}

static uint64_t read_bytes(void)
{
    return live.sums[(live.looks - 1) % CUP_LIVE_LOOKS].read_bytes;
}

/* Loads the logs as they are now, and compares. */
static void expect_as_report(const char *where)
{
    const struct cup_live_chunks *chunks = cup_live_chunks(&live);
    cup_totals_free(&totals);
    cup_profile_free(&profile);
    load_fixture(&(struct cup_load_options){0});
    cr_expect_eq(live.tasks, totals.all.tasks, "%s", where);
    cr_expect_eq(live.finished, totals.all.finished, "%s", where);
    cr_expect_eq(live.erred, totals.all.erred, "%s", where);
    cr_expect_eq(live.unknown, totals.all.unknown, "%s", where);
    cr_expect_eq(live.unfinished, totals.all.unfinished, "%s", where);
    cr_expect_eq(live.running, totals.all.running, "%s", where);
    cr_expect_eq(chunks->used, totals.used_chunks, "%s", where);
    cr_expect_eq(chunks->skipped, totals.skipped_chunks, "%s", where);
    cr_expect_eq(chunks->events, totals.events, "%s", where);
    cr_expect_eq(chunks->without_events, totals.chunks_without_events, "%s", where);
    cr_expect_eq(live.failed_chunks, totals.failed_chunks, "%s", where);
    cr_expect_eq(live.plan.planned_events, totals.completeness->planned_events, "%s", where);
    cr_expect_eq(live.plan.done_events, totals.completeness->done_events, "%s", where);
    struct cup_value bytes = named_metric(&totals, "workflow", "total_bytes_read");
    cr_expect_eq(read_bytes(), bytes.count, "%s: %llu, not %llu", where,
                 (unsigned long long)read_bytes(), (unsigned long long)bytes.count);
}

/* Saves the log as if its process had written it up to END. */
static void save_until(uint64_t stop)
{
    uint64_t whole = builder_header(&builder)->records_end;
    builder_header(&builder)->records_end = stop;
    builder_save(&builder, path, builder.size);
    builder_header(&builder)->records_end = whole;
}

static struct cup_record *record_at(uint64_t offset)
{
    return (struct cup_record *)(builder.bytes + offset);
}

/* Looks after each record, and compares each time. */
static void grow_and_compare(void)
{
    const struct cup_log_header *header = builder_header(&builder);
    uint64_t at = header->records_offset;
    save_until(at);
    open_live();
    for (; at < builder_header(&builder)->records_end; at += record_at(at)->length) {
        char where[64];
        snprintf(where, sizeof where, "up to byte %llu", (unsigned long long)at);
        save_until(at);
        look();
        expect_as_report(where);
    }
    save_until(at);
    look();
    expect_as_report("whole");
}

Test(live, grows_record_by_record)
{
    build_golden_log(&builder);
    grow_and_compare();
    cr_expect_eq(live.unfinished, 1);
    cr_expect_gt(cup_live_chunks(&live)->events, 0);
}

/* Threads of task 6 turn out to serve others: what they had read for it is taken back. */
Test(live, takes_back_what_threads_inherited)
{
    build_golden_log(&builder);
    uint64_t values[CUP_COUNTER_COUNT] = {[CUP_C_READ_INHERITED_BYTES] = 1000};
    struct cup_r_counters counters = {
        .task = 6, .tid = 120, .block = 3, .own = CUP_BLOCK_INHERITS, .sequence = 1};
    struct cup_r_void none = {.task = 6};
    builder_header(&builder)->health[CUP_H_THREADS_VOIDED] = 1;
    builder_counters(&builder, &counters, values);
    BUILDER_ADD(&builder, CUP_R_VOID, none);
    counters.sequence = 2;
    builder_counters(&builder, &counters, values);
    builder_finish(&builder);
    grow_and_compare();
}

Test(live, reads_a_second_end_of_a_task)
{
    build_golden_log(&builder);
    struct cup_r_task_end second = {
        .task = 2, .status = CUP_STATUS_ERRED, .stop_ns = at_second(23), .rss = CUP_UNKNOWN64};
    BUILDER_ADD(&builder, CUP_R_TASK_END, second);
    builder_finish(&builder);
    grow_and_compare();
}

/* A thread writes record after record: the one that is not complete yet counts later, once. */
Test(live, counts_a_record_once_it_is_complete)
{
    build_golden_log(&builder);
    builder_header(&builder)->log_stop_ns = 0;
    uint64_t at = builder_header(&builder)->records_offset, stop = 0;
    for (; at < builder_header(&builder)->records_end; at += record_at(at)->length)
        if (record_at(at)->type == CUP_R_TASK_END && stop == 0)
            stop = at;
    save_until(stop);
    open_live();
    look();
    cr_expect_eq(live.finished, 0);
    record_at(stop)->type = 0;
    builder_save(&builder, path, builder.size);
    look();
    cr_expect_eq(live.finished, 0, "nothing behind it is read yet");
    look();
    cr_expect_gt(live.finished, 0, "it does not hold up the rest");
    uint64_t without = live.finished;
    record_at(stop)->type = CUP_R_TASK_END;
    builder_save(&builder, path, builder.size);
    look();
    cr_expect_eq(live.finished, without + 1);
    look();
    expect_as_report("complete");
}

/* A first look reads the whole log, whatever a killed process left in it. */
Test(live, the_first_look_passes_what_was_never_completed)
{
    build_golden_log(&builder);
    builder_header(&builder)->log_stop_ns = 0;
    uint64_t at = builder_header(&builder)->records_offset;
    for (int i = 0; at < builder_header(&builder)->records_end; at += record_at(at)->length, i++)
        if (record_at(at)->type == CUP_R_COUNTERS && i % 2)
            record_at(at)->type = 0;
    builder_save(&builder, path, builder.size);
    open_live();
    look();
    expect_as_report("first look");
}

/* The call of a Runner begins: its tasks count, those of the call before do not. */
Test(live, follows_the_last_call_of_the_runner)
{
    struct log_builder client;
    build_golden_log(&builder);
    builder_save(&builder, path, builder.size);
    open_live();
    look();
    uint64_t all = live.tasks;
    struct cup_r_run first = {.run = 1, .start_ns = at_second(8), .stop_ns = at_second(14.5)};
    struct cup_r_run second = {.run = 2,
                               .start_ns = at_second(18),
                               .stop_ns = at_second(30),
                               .plan = CUP_PLAN_KNOWN,
                               .chunks = 9,
                               .chunks_read = 9,
                               .events = 900};
    for (int calls = 1; calls <= 2; calls++) {
        builder_start(&client);
        builder_header(&client)->pid = 77;
        builder_header(&client)->log_stop_ns = at_second(31);
        builder_header(&client)->health[CUP_H_RUNS] = (uint64_t)calls;
        BUILDER_ADD(&client, CUP_R_RUN, first);
        if (calls == 2)
            BUILDER_ADD(&client, CUP_R_RUN, second);
        builder_finish(&client);
        save_log(&client, scratch, "b.cup");
        builder_free(&client);
        look();
        expect_as_report(calls == 1 ? "one call" : "two calls");
    }
    cr_expect_lt(live.tasks, all);
    cr_expect_gt(live.tasks, 0);
    cr_expect_eq(live.plan.planned_events, 900);
}

static void move_log(const char *from, const char *to)
{
    char old[2 * SUPPORT_PATH], new[2 * SUPPORT_PATH];
    snprintf(old, sizeof old, "%s/%s", scratch, from);
    snprintf(new, sizeof new, "%s/%s", scratch, to);
    cr_assert_eq(rename(old, new), 0);
}

/* A file system may be away for a moment. */
Test(live, a_look_that_fails_leaves_the_figures_as_they_are)
{
    const struct cup_r_run calls[] = {{.run = 1, .start_ns = at_second(8), .stop_ns = at_second(9)},
                                      {.run = 2, .start_ns = at_second(10)}};
    struct cup_error error;
    build_golden_log(&builder);
    BUILDER_ADD(&builder, CUP_R_RUN, calls[0]);
    BUILDER_ADD(&builder, CUP_R_RUN, calls[1]);
    builder_header(&builder)->health[CUP_H_RUNS] = 2;
    builder_finish(&builder);
    builder_save(&builder, path, builder.size);
    open_live();
    look();
    uint64_t tasks = live.tasks, bytes = live.workers[0].read_bytes;
    cr_assert(tasks && bytes);
    move_log("a.cup", "away");
    builder_save(&builder, path, 1);
    cr_assert_eq(cup_live_look(&live, at_second(61), &error), -1);
    cr_expect_eq(live.looks, 1);
    cr_expect_eq(live.tasks, tasks);
    cr_expect_eq(live.workers[0].read_bytes, bytes);
    move_log("away", "a.cup");
    look_at(62);
    cr_expect_eq(live.workers[0].read_bytes, bytes);
    expect_as_report("again");
}

/* The figures would be those of the few tasks that the merge kept. */
Test(live, a_log_whose_tasks_are_summed_up_is_refused)
{
    struct cup_error error;
    build_golden_log(&builder);
    save_log(&builder, scratch, "b.cup");
    builder_header(&builder)->version = CUP_LOG_SUMMED;
    builder_save(&builder, path, builder.size);
    open_live();
    cr_assert_eq(cup_live_look(&live, at_second(60), &error), -1);
    cr_expect(strstr(error.text, "summed up by prefix"), "%s", error.text);
    cr_expect_eq(live.looks, 0);
    builder_header(&builder)->version = CUP_LOG_VERSION;
    builder_save(&builder, path, builder.size);
    look();
    cr_expect_gt(live.tasks, 0, "the whole log was copied in its place");
}

/* ---- lines --------------------------------------------------------------------------------- */

/* CPU and waits of a line in the call tree, as the report's section sums them up. */
static uint64_t weight_in_tree(const struct cup_call_tree *tree, struct cup_text name,
                               uint32_t line)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < tree->row_count; i++) {
        uint32_t node = tree->rows[i].node;
        while (node && !cup_call_function(tree, node)->user)
            node = tree->nodes[node].parent;
        if (node && tree->frames[tree->nodes[node].frame].line == line &&
            cup_text_compare(cup_call_text(tree, cup_call_function(tree, node)->name), name) == 0)
            sum += tree->rows[i].weights.of[CUP_W_CPU] + tree->rows[i].weights.of[CUP_W_WAIT];
    }
    return sum;
}

Test(live, sums_up_lines_as_the_report)
{
    struct cup_call_tree tree;
    save_stack_logs(scratch);
    open_live();
    look();
    load_fixture_profile(&(struct cup_load_options){0});
    cr_assert_eq(cup_call_tree_make(&tree, &profile, &(struct cup_call_ask){0}), 0);
    uint64_t sum = 0;
    for (size_t i = 0; i < live.line_count; i++) {
        const struct cup_live_line *line = &live.lines[i];
        struct cup_text name = cup_profile_text(&live.known, line->name);
        cr_expect_eq(line->cpu_ns + line->wait_ns, weight_in_tree(&tree, name, line->line),
                     "%.*s:%u", (int)name.length, name.bytes, line->line);
        sum += line->cpu_ns + line->wait_ns;
    }
    cr_expect_gt(sum, UINT64_C(500000000));
    cup_call_tree_free(&tree);
}

/* ---- the threads' time --------------------------------------------------------------------- */

static void mark_as_running(struct cup_log_header *header)
{
    header->pid = (uint32_t)getpid();
    header->log_stop_ns = 0;
    header->log_start_ns = INT64_C(4000000000000000000); /* the process is older */
    gethostname(header->host, sizeof header->host - 1);
}

/* A worker of one thread that runs: this process. Its task began at second 20 and goes on. */
static void start_long_task(void)
{
    struct cup_r_task_begin begin = {
        .task = 9, .tid = 100, .server = 1, .origin = CUP_ORIGIN_DASK, .start_ns = at_second(20)};
    build_stack_log(&builder);
    mark_as_running(builder_header(&builder));
    builder_begin(&builder, &begin, "long");
}

static void save_and_look_at(double second)
{
    builder_finish(&builder);
    builder_save(&builder, path, builder.size);
    if (!live.directory)
        open_live();
    look_at(second);
}

static void expect_task_time(double cpu_s, double rest_s)
{
    struct cup_budget budget;
    cr_assert(cup_live_budget(&live, &budget));
    cr_expect_float_eq((double)budget.ns[CUP_BUDGET_TASK_CPU] / 1e9, cpu_s, 1e-6);
    cr_expect_float_eq((double)budget.ns[CUP_BUDGET_UNTOLD] / 1e9, rest_s, 1e-6);
}

/* The log had samples of 620 ms on a core, and gets some of as much time off it. */
Test(live, cpu_of_a_long_task_is_known_between_its_samples)
{
    const struct cup_stack_use_row off[] = {{N_PROCESS, CUP_U_OFF_CPU, 62, 0, 620000000}};
    const struct cup_stack_use_row more[] = {{N_PROCESS, CUP_U_CPU, 30, 0, 300000000},
                                             {N_PROCESS, CUP_U_OFF_CPU, 10, 0, 100000000}};
    start_long_task();
    builder_uses(&builder, 2, off, 1);
    save_and_look_at(30);
    look_at(40);
    expect_task_time(5, 5);
    builder_uses(&builder, 9, more, 2);
    save_and_look_at(50);
    expect_task_time(15, 5);
}

/* ---- workers ------------------------------------------------------------------------------- */

/* Saves a log with a sample of the one worker, which was made at TIME_NS. */
static void save_sample(const char *name, uint32_t role, uint64_t rss, uint64_t time_ns)
{
    uint64_t values[CUP_WV_COUNT], heartbeat[CUP_HV_COUNT];
    const struct cup_r_server server = {.id = 1,
                                        .role = role,
                                        .address = role == CUP_ROLE_WORKER ? 1 : 2,
                                        .memory_limit = CUP_UNKNOWN64};
    struct log_builder log;
    builder_unknown(values, CUP_WV_COUNT);
    builder_unknown(heartbeat, CUP_HV_COUNT);
    heartbeat[CUP_HV_RSS] = rss;
    heartbeat[CUP_HV_TIME_NS] = time_ns;
    builder_start(&log);
    builder_string(&log, 1, "tcp://10.0.0.1:4000");
    builder_string(&log, 2, "tcp://10.0.0.1:8786");
    BUILDER_ADD(&log, CUP_R_SERVER, server);
    builder_worker(&log, 1, 1, 1, 0);
    builder_row(&log, 1, 1, values, heartbeat);
    builder_sample(&log, 1, 1, at_second(5), values);
    builder_finish(&log);
    save_log(&log, scratch, name);
    builder_free(&log);
}

static void expect_memory(uint64_t bytes)
{
    look();
    cr_assert_eq(live.worker_count, 1);
    cr_expect_eq(live.workers[0].rss, bytes, "%llu", (unsigned long long)live.workers[0].rss);
    cup_live_free(&live);
}

/* A worker writes no samples once its log is full; the scheduler goes on. */
Test(live, memory_of_a_worker_is_that_of_the_newest_sample)
{
    save_sample("worker.cup", CUP_ROLE_WORKER, 1000, 10);
    save_sample("a-scheduler.cup", CUP_ROLE_SCHEDULER, 2000, 9);
    open_live();
    expect_memory(1000);
    save_sample("a-scheduler.cup", CUP_ROLE_SCHEDULER, 2000, 11);
    open_live();
    expect_memory(2000);
    save_sample("z-scheduler.cup", CUP_ROLE_SCHEDULER, CUP_UNKNOWN64, 12);
    open_live();
    expect_memory(2000);
}

static void add_sample(struct log_builder *log, uint32_t sample, uint64_t rss, uint64_t time_ns)
{
    uint64_t values[CUP_WV_COUNT], heartbeat[CUP_HV_COUNT];
    builder_unknown(values, CUP_WV_COUNT);
    builder_unknown(heartbeat, CUP_HV_COUNT);
    heartbeat[CUP_HV_RSS] = rss;
    heartbeat[CUP_HV_TIME_NS] = time_ns;
    builder_row(log, sample, 1, values, heartbeat);
    builder_sample(log, sample, 1, at_second(5 + sample), values);
    builder_finish(log);
    save_log(log, scratch, "worker.cup");
    look();
}

Test(live, memory_of_a_worker_follows_when_its_clock_is_set_back)
{
    const struct cup_r_server server = {.id = 1, .role = CUP_ROLE_WORKER, .address = 1};
    struct log_builder log;
    builder_start(&log);
    builder_string(&log, 1, "tcp://10.0.0.1:4000");
    BUILDER_ADD(&log, CUP_R_SERVER, server);
    builder_worker(&log, 1, 1, 1, 0);
    builder_finish(&log);
    save_log(&log, scratch, "worker.cup");
    open_live();
    add_sample(&log, 1, 1000, 2000);
    cr_expect_eq(live.workers[0].rss, 1000);
    add_sample(&log, 2, 3000, 500);
    cr_expect_eq(live.workers[0].rss, 3000);
    builder_free(&log);
}

/* ---- what is known while a job runs --------------------------------------------------------- */

Test(live, without_a_plan_there_is_no_eta)
{
    const char *reason = NULL;
    build_golden_log(&builder);
    builder_save(&builder, path, builder.size);
    open_live();
    look();
    cr_expect(isnan(cup_live_eta_s(&live, &reason)));
    cr_expect_not_null(reason);
    cr_expect_eq(cup_live_span_s(&live), 0.0, "one look knows no now");
    struct cup_budget budget;
    cr_expect_not(cup_live_budget(&live, &budget));
}

static void add_chunk(uint32_t task, uint32_t kind, uint64_t events, double stop)
{
    struct cup_r_task_begin begin = {
        .task = task, .tid = 100, .origin = CUP_ORIGIN_DASK, .start_ns = at_second(20)};
    struct cup_r_item item = {.task = task, .kind = kind, .entry_stop = events};
    struct cup_r_task_end ended = {.task = task,
                                   .status = CUP_STATUS_FINISHED,
                                   .stop_ns = at_second(stop),
                                   .result_bytes = 100};
    builder_begin(&builder, &begin, kind == CUP_ITEM_WORK ? "chunk" : "partition");
    BUILDER_ADD(&builder, CUP_R_ITEM, item);
    BUILDER_ADD(&builder, CUP_R_TASK_END, ended);
}

/* Such as partitions of uproot.dask, which the same client has processed. */
Test(live, chunks_that_no_runner_planned_are_no_progress_of_the_plan)
{
    const struct cup_r_run call = {.run = 1,
                                   .start_ns = at_second(20),
                                   .plan = CUP_PLAN_KNOWN,
                                   .chunks = 2,
                                   .chunks_read = 2,
                                   .events = 2000};
    const char *reason;
    builder_start(&builder);
    mark_as_running(builder_header(&builder));
    builder_header(&builder)->health[CUP_H_RUNS] = 1;
    BUILDER_ADD(&builder, CUP_R_RUN, call);
    add_chunk(20, CUP_ITEM_WORK, 1000, 25);
    add_chunk(21, CUP_ITEM_READ, 500, 26);
    save_and_look_at(30);
    expect_as_report("one of each");
    cr_expect_eq(live.plan.done_chunks, 1);
    cr_expect_eq(live.plan.done_events, 1000);
    cr_expect_float_eq(cup_live_event_rate(&live), 150, 1e-9);
    cr_expect_float_eq(cup_live_eta_s(&live, &reason), 10, 1e-9, "100 of the plan's a second");
}

Test(live, a_directory_without_logs_is_refused)
{
    struct cup_error error;
    cr_expect_eq(cup_live_open(&live, scratch, &error), -1);
    cr_expect(strstr(error.text, scratch) || strlen(error.text) > 0);
}

/* A full log has only the sums of chunks. The last of them ended between two looks. */
static void save_full(uint64_t chunks)
{
    static struct cup_task_totals sums;
    struct cup_r_room room = {.head = {0}};
    struct cup_total *total = &sums.entries[CUP_TOTAL_OTHERS + 1];
    uint64_t *values = total->values[CUP_STATUS_FINISHED - 1];
    total->used = 1;
    total->key.item = CUP_ITEM_WORK;
    values[CUP_T_TASKS] = chunks;
    values[CUP_T_EVENTS] = 1000 * chunks;
    values[CUP_T_FIRST_NS] = (uint64_t)at_second(0);
    values[CUP_T_LAST_NS] = values[CUP_T_LAST_START_NS] = (uint64_t)at_second(1);
    builder_free(&builder);
    builder_start(&builder);
    builder_record(&builder, CUP_R_ROOM, &room, sizeof room, &sums, sizeof sums);
    struct cup_log_header *header = builder_header(&builder);
    header->regions[header->region_count++] =
        (struct cup_region){CUP_REGION_TOTALS, 1, builder.size - sizeof sums, sizeof sums};
    builder_finish(&builder);
    builder_save(&builder, path, builder.size);
}

Test(live, events_of_a_full_log_ended_since_the_last_look)
{
    save_full(5);
    open_live();
    look_at(100);
    cr_expect(isnan(cup_live_event_rate(&live)), "when the five ended is not known");
    save_full(7);
    look_at(110);
    cr_expect_float_eq(cup_live_event_rate(&live), 200, 1e-9);
    look_at(120);
    cr_expect_float_eq(cup_live_event_rate(&live), 100, 1e-9);
    save_full(10);
    look_at(180);
    cr_expect_float_eq(cup_live_event_rate(&live), 50, 1e-9);
    look_at(300);
    cr_expect_float_eq(cup_live_event_rate(&live), 0, 1e-9);
}

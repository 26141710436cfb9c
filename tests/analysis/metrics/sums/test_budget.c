/* The time budget: threads x wall time, split without remainder, whatever the logs say. */
#include <criterion/criterion.h>

#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/metrics/metrics.h"
#include "cli/verbs.h"
#include "tests/analysis/support.h"

static char scratch[SUPPORT_PATH], outside[SUPPORT_PATH];
static struct log_builder builder;
static struct cup_profile profile;
static struct cup_totals totals;

enum { WORKER_THREADS = 2, PREFIX = 1 };

static void set_up(void)
{
    struct cup_r_server server = {.id = 1, .role = CUP_ROLE_WORKER, .threads = WORKER_THREADS};
    make_scratch(scratch);
    make_scratch(outside);
    builder_start(&builder);
    builder_header(&builder)->log_start_ns = at_second(0);
    builder_header(&builder)->log_stop_ns = at_second(1000);
    builder_string(&builder, PREFIX, "work");
    BUILDER_ADD(&builder, CUP_R_SERVER, server);
}

static void tear_down(void)
{
    builder_free(&builder);
    cup_totals_free(&totals);
    cup_profile_free(&profile);
    remove_scratch(scratch);
    remove_scratch(outside);
}

TestSuite(budget, .init = set_up, .fini = tear_down);

static void begin(uint32_t task, uint32_t tid, double start, uint32_t origin)
{
    struct cup_r_task_begin record = {.task = task,
                                      .tid = tid,
                                      .prefix = PREFIX,
                                      .server = 1,
                                      .origin = origin,
                                      .start_ns = at_second(start)};
    builder_begin(&builder, &record, "key");
}

static void end(uint32_t task, double stop, double cpu)
{
    struct cup_r_task_end record = {.task = task,
                                    .status = CUP_STATUS_FINISHED,
                                    .stop_ns = at_second(stop),
                                    .cpu_ns = cpu < 0 ? CUP_UNKNOWN64 : (uint64_t)(cpu * 1e9)};
    BUILDER_ADD(&builder, CUP_R_TASK_END, record);
}

static void add_task(uint32_t task, uint32_t tid, double start, double stop)
{
    begin(task, tid, start, CUP_ORIGIN_DASK);
    end(task, stop, (stop - start) / 2);
}

static void load_with(uint64_t features)
{
    struct cup_error error;
    const struct cup_load_options options = {.counters = false};
    builder_header(&builder)->features |= features;
    builder_finish(&builder);
    save_log(&builder, scratch, "a.cup");
    cr_assert_eq(cup_profile_load(&profile, scratch, &options, &error), 0, "%s", error.text);
    cr_assert_eq(cup_totals_make(&totals, &profile), 0);
    cr_assert_eq(cup_budget_total_ns(&totals.budget),
                 totals.budget.threads_ns + totals.budget.overbooked_ns);
    double percent[CUP_BUDGET_COUNT], sum = 0;
    cup_budget_percent(&totals.budget, percent);
    for (int i = 0; i < CUP_BUDGET_COUNT; i++)
        sum += percent[i];
    cr_assert_float_eq(sum, 100, 1e-9);
}

static void load(void)
{
    load_with(CUP_FEATURE_WAITS);
}

static void expect(const char *name, double expected)
{
    double value = cup_number(named_metric(&totals, "time_budget", name));
    cr_expect(fabs(value - expected) <= 1e-6, "%s is %g, not %g", name, value, expected);
}

Test(budget, gaps_up_to_the_threshold_are_dasks)
{
    add_task(1, 5, 0, 1);
    add_task(2, 5, 1.05, 2);  /* 50 ms */
    add_task(3, 5, 2.1, 3);   /* 100 ms, just within */
    add_task(4, 5, 3.15, 10); /* 150 ms: nothing to do */
    load();
    expect("threads_s", 20);
    expect("dask_between_tasks_s", 0.15);
    expect("idle_s", 10 + 0.15);
    expect("task_cpu_s", 9.7 / 2);
    expect("other_wait_s", 9.7 / 2);
    expect("outside_tasks_s", 10.3);
    expect("gap_threshold_s", 0.1);
    cr_assert_eq(totals.budget.gaps, 2);
}

Test(budget, threads_are_told_apart)
{
    add_task(1, 5, 0, 1);
    add_task(2, 6, 0, 4);
    add_task(3, 5, 1.05, 10);
    add_task(4, 6, 4.02, 10);
    load();
    expect("dask_between_tasks_s", 0.07);
    expect("idle_s", 0);
}

Test(budget, tasks_in_any_order_give_the_same)
{
    add_task(4, 5, 3.25, 10);
    add_task(2, 5, 1.05, 2);
    add_task(1, 5, 0, 1);
    add_task(3, 5, 2.1, 3);
    load();
    expect("dask_between_tasks_s", 0.15);
    expect("idle_s", 10.25);
}

Test(budget, before_the_first_and_after_the_last_is_idle)
{
    add_task(1, 5, 0, 10);
    add_task(2, 6, 4, 5);
    load();
    expect("idle_s", 9);
    expect("dask_between_tasks_s", 0);
}

Test(budget, overlaps_do_not_make_idle_negative)
{
    for (uint32_t i = 1; i <= 5; i++)
        add_task(i, 10 + i, 0, 10); /* four left the pool to wait for others */
    add_task(6, 11, 9.5, 10);       /* a clock went back */
    load();
    expect("threads_s", 20);
    expect("idle_s", 0);
    expect("overbooked_s", 30.5);
}

Test(budget, async_tasks_and_actors_are_left_out)
{
    add_task(1, 5, 0, 10);
    begin(2, 7, 2, CUP_ORIGIN_ASYNC);
    end(2, 5, -1);
    begin(3, 8, 2, CUP_ORIGIN_ACTOR);
    end(3, 4, 1);
    load();
    expect("idle_s", 10);
    expect("elsewhere_tasks", 2);
    expect("elsewhere_s", 5);
    expect("task_cpu_s", 5);
}

/* ---- tasks that never ended ------------------------------------------------------------- */

static double workflow(const char *name)
{
    return cup_number(named_metric(&totals, "workflow", name));
}

Test(budget, a_task_that_never_ended_held_its_thread_until_its_process_ended)
{
    builder_header(&builder)->log_stop_ns = at_second(12);
    add_task(1, 5, 0, 10);
    begin(2, 6, 4, CUP_ORIGIN_DASK);
    load();
    expect("threads_s", 24);
    expect("unfinished_task_s", 8);
    expect("idle_s", 4 + 2);
    cr_expect_float_eq(workflow("wall_time"), 12, 1e-6);
}

/* Killed: hung tasks began after the last one that ended. */
Test(budget, without_an_end_the_last_record_is_the_last_sign)
{
    builder_header(&builder)->log_stop_ns = 0;
    add_task(1, 5, 0, 1);
    add_task(2, 6, 0, 1);
    begin(3, 5, 1.06, CUP_ORIGIN_DASK);
    begin(4, 6, 1.08, CUP_ORIGIN_DASK);
    load();
    expect("threads_s", 2.16);
    expect("unfinished_task_s", 0.02);
    expect("dask_between_tasks_s", 0.14);
    expect("idle_s", 0);
    expect("overbooked_s", 0);
    cr_expect_float_eq(workflow("wall_time"), 1.08, 1e-6);
}

static struct cup_series *series(void)
{
    const struct cup_region *region = &builder_header(&builder)->regions[1];
    return (struct cup_series *)(builder.bytes + region->offset);
}

Test(budget, without_an_end_the_series_may_tell_of_a_later_sign)
{
    builder_header(&builder)->log_stop_ns = 0;
    series()->bin_ns = 1000000000;
    series()->rows = CUP_SERIES_COUNT;
    series()->values[CUP_S_READ_BYTES][7] = 1;
    add_task(1, 5, 0, 1);
    begin(2, 6, 4, CUP_ORIGIN_DASK);
    load();
    expect("threads_s", 14);
    expect("unfinished_task_s", 3); /* up to the begin of bin 7 */
}

Test(budget, a_series_that_cannot_be_is_no_sign)
{
    builder_header(&builder)->log_stop_ns = 0;
    series()->bin_ns = UINT64_MAX / 2;
    series()->values[CUP_S_READ_BYTES][255] = 1;
    add_task(1, 5, 0, 1);
    begin(2, 6, 4, CUP_ORIGIN_DASK);
    load();
    expect("threads_s", 8);
}

Test(budget, merging_ends_with_the_last_task_that_ended)
{
    struct cup_r_chunk chunk = {.task = 1, .tic_ns = at_second(1), .toc_ns = at_second(2)};
    add_task(1, 5, 0, 3);
    BUILDER_ADD(&builder, CUP_R_CHUNK, chunk);
    add_task(2, 5, 3, 5);
    begin(3, 6, 4, CUP_ORIGIN_DASK);
    load();
    cr_expect_float_eq(workflow("merge_s"), 2, 1e-6);
    cr_expect_float_eq(workflow("process_s"), 3, 1e-6);
}

Test(budget, where_records_were_lost_an_end_may_be_among_them)
{
    builder_header(&builder)->health[CUP_H_RECORDS_DROPPED] = 1;
    add_task(1, 5, 0, 10);
    begin(2, 6, 4, CUP_ORIGIN_DASK);
    load();
    expect("threads_s", 20);
    expect("unfinished_task_s", 6);
}

/* They hold no thread; a worker may stay for hours after one was cancelled. */
Test(budget, async_tasks_that_never_ended_do_not_lengthen_the_run)
{
    add_task(1, 5, 0, 10);
    begin(2, 7, 2, CUP_ORIGIN_ASYNC);
    load();
    expect("threads_s", 20);
    expect("unfinished_task_s", 0);
}

Test(budget, what_lies_outside_of_the_processs_presence_is_not_counted)
{
    builder_header(&builder)->log_start_ns = at_second(1.02); /* the clock was set meanwhile */
    add_task(1, 5, 0, 1);
    add_task(2, 5, 1.05, 2);
    begin(3, 5, 2.08, CUP_ORIGIN_DASK); /* its end is before its begin */
    end(3, 2, 0);
    load();
    expect("threads_s", 2 * 0.98);
    expect("dask_between_tasks_s", 0.03);
    cr_assert_eq(totals.budget.gaps, 1);
}

/* A worker of one thread, all the time. */
static void save_other(double stop)
{
    struct log_builder other;
    struct cup_r_server server = {.id = 1, .role = CUP_ROLE_WORKER, .threads = 1};
    struct cup_r_task_begin first = {.task = 1, .tid = 5, .server = 1, .start_ns = at_second(0)};
    struct cup_r_task_end last = {
        .task = 1, .status = CUP_STATUS_FINISHED, .stop_ns = at_second(stop)};
    builder_start(&other);
    builder_header(&other)->log_start_ns = at_second(0);
    builder_header(&other)->log_stop_ns = at_second(1000);
    BUILDER_ADD(&other, CUP_R_SERVER, server);
    builder_begin(&other, &first, "key");
    BUILDER_ADD(&other, CUP_R_TASK_END, last);
    builder_finish(&other);
    save_log(&other, scratch, "b.cup");
    builder_free(&other);
}

/* The process ended later, at 1000 s. */
Test(budget, a_worker_is_there_until_its_last_tick)
{
    struct cup_r_server closed = {
        .id = 1, .role = CUP_ROLE_WORKER, .threads = WORKER_THREADS, .stop_ns = at_second(6)};
    BUILDER_ADD(&builder, CUP_R_SERVER, closed);
    add_task(1, 5, 0, 2);
    save_other(10);
    load();
    expect("threads_s", 2 * 6 + 10);
    cr_expect_float_eq(totals.workers_ns, 16e9, 1e3);
}

/* Its event loop did not tick any more when it was killed. */
Test(budget, a_worker_that_was_killed_in_a_task_is_there_until_the_last_sign)
{
    struct cup_r_server stalled = {
        .id = 1, .role = CUP_ROLE_WORKER, .threads = WORKER_THREADS, .stop_ns = at_second(1)};
    BUILDER_ADD(&builder, CUP_R_SERVER, stalled);
    builder_header(&builder)->log_stop_ns = 0;
    builder_header(&builder)->health[CUP_H_TASKS_BEGUN] = 2;
    builder_header(&builder)->health[CUP_H_TASKS_ENDED] = 1;
    begin(1, 5, 0, CUP_ORIGIN_DASK);
    add_task(2, 6, 0, 8);
    load();
    expect("threads_s", 2 * 8);
}

/* The lost task may have filled a gap. Of the other worker all tasks are known. */
Test(budget, gaps_are_not_known_where_a_task_has_no_record)
{
    struct cup_advice advice[CUP_ADVICE_MOST];
    uint64_t *health = builder_header(&builder)->health;
    health[CUP_H_TASKS_BEGUN] = health[CUP_H_TASKS_ENDED] = 3;
    health[CUP_H_RECORDS_DROPPED] = 2;
    add_task(1, 5, 0, 1);
    add_task(2, 5, 1.05, 2);
    save_other(10);
    load();
    cr_assert_eq(totals.tasks_lost, 1);
    cr_expect_eq(totals.budget.ns[CUP_BUDGET_BETWEEN], 0);
    static const char *const unknown[] = {"dask_between_tasks_s", "idle_s", "outside_tasks_s"};
    for (size_t i = 0; i < sizeof unknown / sizeof *unknown; i++)
        cr_expect_eq(named_metric(&totals, "time_budget", unknown[i]).kind, CUP_VALUE_NULL, "%s",
                     unknown[i]);
    cr_expect_null(advice_text(advice, cup_advice_make(&totals, advice), "starved"));
    json_t *root = report_json(scratch, outside), *budget = json_object_get(root, "time_budget");
    json_t *workers = json_object_get(budget, "by_worker");
    cr_assert_eq(json_array_size(workers), 2);
    cr_expect(json_is_null(json_object_get(json_array_get(workers, 0), "idle_s")));
    cr_expect(json_is_number(json_object_get(json_array_get(workers, 1), "idle_s")));
    cr_expect(json_is_null(json_object_get(json_object_get(budget, "shares_pct"), "idle")));
    json_decref(root);
}

Test(budget, a_lost_end_holds_the_thread_until_the_next_task)
{
    begin(1, 5, 0, CUP_ORIGIN_DASK);
    add_task(2, 5, 3, 10);
    load();
    expect("unfinished_task_s", 3);
    expect("dask_between_tasks_s", 0);
    expect("idle_s", 10);
}

Test(budget, a_worker_that_ran_nothing_was_idle)
{
    struct cup_r_server other = {.id = 2, .role = CUP_ROLE_WORKER, .threads = 3};
    struct cup_r_server scheduler = {.id = 3, .role = CUP_ROLE_SCHEDULER, .threads = 9};
    BUILDER_ADD(&builder, CUP_R_SERVER, other);
    BUILDER_ADD(&builder, CUP_R_SERVER, scheduler);
    add_task(1, 5, 0, 10);
    load();
    expect("threads_s", 50);
    expect("idle_s", 40);
    cr_assert_eq(totals.workers, 2);
}

Test(budget, without_waits_they_are_not_told_apart)
{
    add_task(1, 5, 0, 10);
    load_with(0);
    expect("other_task_s", 5);
    cr_expect_eq(named_metric(&totals, "time_budget", "io_wait_s").kind, CUP_VALUE_NULL);
    cr_expect_eq(named_metric(&totals, "time_budget", "other_wait_s").kind, CUP_VALUE_NULL);
}

/* ---- the report ------------------------------------------------------------------------- */

/* A task of 10 s with 5 s of CPU: I/O 2 s, GIL 1 s, no core 0.5 s, the rest unknown. */
static void add_waiting_task(void)
{
    const uint64_t values[CUP_COUNTER_COUNT] = {
        [CUP_C_IO_WAIT_NS] = 2000000000,    [CUP_C_GIL_WAIT_NS] = 1000000000,
        [CUP_C_RUN_DELAY_NS] = 500000000,   [CUP_C_GIL_WAITS] = 7,
        [CUP_C_GIL_LONGEST_NS] = 300000000,
    };
    const uint64_t helped[CUP_COUNTER_COUNT] = {[CUP_C_POLL_WAIT_NS] = 4000000000};
    const uint64_t buckets[CUP_HISTOGRAM_COUNT * CUP_BUCKETS] = {[CUP_BUCKETS + 40] = 7};
    struct cup_r_counters block = {
        .task = 1, .tid = 5, .block = 1, .sequence = 1, .own = CUP_BLOCK_RUNS};
    struct cup_r_counters helper = {.task = 1, .tid = 9, .block = 2, .sequence = 1};
    begin(1, 5, 0, CUP_ORIGIN_DASK);
    builder_counters_and_buckets(&builder, &block, values, buckets);
    end(1, 10, 5);
    builder_counters(&builder, &helper, helped);
}

static void expect_json(json_t *object, const char *name, double expected)
{
    json_t *value = json_object_get(object, name);
    cr_expect(json_is_number(value), "%s", name);
    cr_expect_float_eq(json_number_value(value), expected, 1e-6, "%s is %g, not %g", name,
                       json_number_value(value), expected);
}

/* Each of the tables that have waits. */
static void expect_waits(json_t *row)
{
    cr_assert_not_null(row);
    expect_json(row, "io_wait_s", 2);
    expect_json(row, "gil_wait_s", 1);
    expect_json(row, "run_delay_s", 0.5);
    expect_json(row, "other_wait_s", 1.5);
    expect_json(row, "helper_poll_wait_s", 4);
    expect_json(row, "poll_wait_s", 0);
    cr_expect(json_is_null(json_object_get(row, "helper_other_wait_s")));
}

Test(budget, json_has_waits_by_prefix_and_worker)
{
    add_waiting_task();
    load_with(CUP_FEATURE_WAITS | CUP_FEATURE_GIL | CUP_FEATURE_RUN_DELAY);
    json_t *root = report_json(scratch, outside), *fine = json_object_get(root, "fine");
    json_t *prefixes = json_object_get(json_object_get(root, "tasks_by_prefix"), "rows");
    json_t *budget = json_object_get(root, "time_budget"), *prefix = json_array_get(prefixes, 0);
    expect_waits(fine);
    expect_waits(json_array_get(json_object_get(fine, "by_prefix"), 0));
    expect_waits(json_array_get(json_object_get(fine, "by_worker"), 0));
    expect_waits(prefix);
    expect_json(prefix, "gil_waits", 7);
    /* the peaks of several tasks do not add up to a peak */
    cr_expect_null(json_object_get(prefix, "peak_live_bytes"));
    cr_expect_null(json_object_get(prefix, "peak_before_bytes"));
    expect_json(budget, "gil_wait_s", 1);
    expect_json(json_array_get(json_object_get(budget, "by_worker"), 0), "idle_s", 10);
    expect_json(json_object_get(budget, "shares_pct"), "io_wait", 10);
    expect_json(json_object_get(root, "efficiency"), "io_wait_pct", 20);
    json_decref(root);
}

Test(budget, json_has_histograms_by_prefix)
{
    add_waiting_task();
    load_with(CUP_FEATURE_WAITS | CUP_FEATURE_GIL);
    json_t *root = report_json(scratch, outside);
    json_t *prefixes = json_object_get(json_object_get(root, "tasks_by_prefix"), "rows");
    json_t *all = json_object_get(json_array_get(prefixes, 0), "histograms");
    json_t *waits = json_object_get(all, "gil_wait"), *tasks = json_object_get(all, "task");
    json_t *bucket = json_array_get(json_object_get(waits, "buckets"), 0);
    expect_json(waits, "count", 7);
    expect_json(waits, "max_s", 0.3);
    cr_assert_eq(json_array_size(json_object_get(waits, "buckets")), 1);
    cr_assert_eq(json_array_size(bucket), 3);
    cr_assert_float_eq(json_number_value(json_array_get(bucket, 0)),
                       (double)cup_bucket_from_ns(40) / 1e9, 1e-9);
    cr_assert_eq(json_integer_value(json_array_get(bucket, 2)), 7);
    expect_json(tasks, "count", 1);
    expect_json(tasks, "max_s", 10);
    expect_json(json_object_get(all, "read"), "count", 0);
    json_decref(root);
}

Test(budget, dump_shows_histograms)
{
    char path[2 * SUPPORT_PATH];
    add_waiting_task();
    builder_block(&builder, 0)->used = 1;
    builder_block(&builder, 0)->histograms[CUP_HISTOGRAM_READ][1] = 3;
    load_with(CUP_FEATURE_WAITS);
    snprintf(path, sizeof path, "%s/a.cup", scratch);
    cr_assert_eq(run_verb(outside, cup_verb_dump, (const char *const[]){"dump", path, NULL}), 0);
    snprintf(path, sizeof path, "%s/out", outside);
    char *text = read_text(path);
    cr_expect_not_null(strstr(text, "gil_wait_histogram=268435456ns:7"), "%s", text);
    cr_expect_not_null(strstr(text, "read_histogram=384ns:3"), "%s", text);
    cr_expect_not_null(strstr(text, "waits=on gil=off"));
    free(text);
}

static char *text_now(const char *section)
{
    char path[2 * SUPPORT_PATH];
    cr_assert_eq(run_verb(outside, cup_verb_report,
                          (const char *const[]){"report", scratch, "--only", section, NULL}),
                 CUP_EXIT_DONE);
    snprintf(path, sizeof path, "%s/out", outside);
    return read_text(path);
}

static char *report_text(const char *section, const char *width)
{
    setenv("COLUMNS", width, 1);
    setenv("LC_ALL", "C.UTF-8", 1);
    return text_now(section);
}

static void expect_text(const char *section, const char *const *parts)
{
    char *text = report_text(section, "84");
    for (; *parts; parts++)
        cr_expect_not_null(strstr(text, *parts), "%s is not in\n%s", *parts, text);
    free(text);
}

/* 80 marks: CPU 25 %, I/O 10 %, GIL 5 %, no core 2.5 %, the rest of the task 7.5 %, idle 50 %. */
Test(budget, the_bar_can_be_read_without_colours)
{
    static const char *const parts[] = {"\n  ████████████████████IIIIIIIIGGGGRRoooooo"
                                        "░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░\n",
                                        "█ CPU in tasks 25.0 % (5.00 s)",
                                        "I I/O 10.0 % (2.00 s)",
                                        "G GIL 5.0 % (1.00 s)",
                                        "R no core 2.5 % (500 ms)",
                                        "o other waits 7.5 % (1.50 s)",
                                        "░ idle 50.0 % (10.0 s)",
                                        NULL};
    add_waiting_task();
    load_with(CUP_FEATURE_WAITS | CUP_FEATURE_GIL | CUP_FEATURE_RUN_DELAY);
    expect_text("time_budget", parts);
    expect_text("summary", parts);
}

/* The bar of the same run: with colours every part has blocks of its own colour. */
Test(budget, colours_of_the_bar_differ)
{
    enum { PARTS = 6 };
    char colours[PARTS][8], *at;
    size_t count = 0;
    add_waiting_task();
    load_with(CUP_FEATURE_WAITS | CUP_FEATURE_GIL | CUP_FEATURE_RUN_DELAY);
    setenv("LC_ALL", "C.UTF-8", 1);
    cr_assert_eq(run_verb(outside, cup_verb_report,
                          (const char *const[]){"report", scratch, "--only", "summary",
                                                "--color=always", NULL}),
                 CUP_EXIT_DONE);
    char path[2 * SUPPORT_PATH];
    snprintf(path, sizeof path, "%s/out", outside);
    char *text = read_text(path);
    for (at = strstr(text, "m█"); at && count < PARTS; at = strstr(at + 1, "m█"), count++) {
        const char *escape = at;
        while (*escape != '\033')
            escape--;
        snprintf(colours[count], sizeof *colours, "%.*s", (int)(at - escape), escape);
        for (size_t i = 0; i < count; i++)
            cr_expect_str_neq(colours[i], colours[count]);
    }
    cr_expect_eq(count, PARTS, "%s", text);
    cr_expect_null(strstr(text, "░"));
    free(text);
}

Test(budget, the_bar_is_ascii_without_utf8)
{
    static const char bar[] = "\n  ####################IIIIIIIIGGGGRRoooooo"
                              "........................................\n";
    add_waiting_task();
    load_with(CUP_FEATURE_WAITS | CUP_FEATURE_GIL | CUP_FEATURE_RUN_DELAY);
    char *text = report_text("summary", "84");
    setenv("LC_ALL", "C", 1);
    char *ascii = text_now("summary");
    cr_expect(strstr(ascii, bar), "%s", ascii);
    for (const char *at = ascii; *at; at++)
        cr_expect(*at > 0, "%s", at);
    free(text);
    free(ascii);
}

Test(budget, small_parts_are_in_the_legend)
{
    static const char *const parts[] = {"below 0.1 % each: Dask between tasks", NULL};
    add_task(1, 5, 0, 1);
    add_task(2, 5, 1.001, 10);
    load();
    expect_text("time_budget", parts);
}

Test(budget, the_bar_of_an_older_log_says_what_is_not_told_apart)
{
    static const char *const parts[] = {"▒ waits not told apart 25.0 % (5.00 s)", "n/a [1]", NULL};
    add_task(1, 5, 0, 10);
    load_with(0);
    expect_text("time_budget", parts);
}

Test(budget, tables_of_waits_and_durations)
{
    static const char *const parts[] = {"work    10.0 s  50.0  20.0  10.0", "GIL waits       7",
                                        "300 ms", NULL};
    add_waiting_task();
    load_with(CUP_FEATURE_WAITS | CUP_FEATURE_GIL);
    expect_text("waits", parts);
}

static void expect_null(json_t *object, const char *name)
{
    cr_expect(json_is_null(json_object_get(object, name)), "%s", name);
}

/* Async tasks have no CPU clock: nothing is known of their waits. */
Test(budget, without_tasks_in_the_pool_nothing_is_split)
{
    begin(1, 7, 0, CUP_ORIGIN_ASYNC);
    end(1, 10, -1);
    load();
    char *text = report_text("waits", "100");
    cr_expect_null(strstr(text, "Waits"));
    cr_expect_not_null(strstr(text, "10.0 s  10.0 s  10.0 s  10.0 s"), "%s", text);
    free(text);
    text = report_text("summary", "100");
    cr_expect_null(strstr(text, "░"));
    cr_expect_null(strstr(text, "Starved"));
    cr_expect_not_null(strstr(text, "Left out: 1 task (10.0 s)"), "%s", text);
    free(text);
    text = report_text("time_budget", "100");
    cr_expect_not_null(strstr(text, "async tasks have none"), "%s", text);
    free(text);
    json_t *root = report_json(scratch, outside), *fine = json_object_get(root, "fine");
    json_t *budget = json_object_get(root, "time_budget");
    expect_null(fine, "io_wait_s");
    expect_null(json_array_get(json_object_get(fine, "by_prefix"), 0), "other_wait_s");
    expect_null(json_array_get(json_object_get(fine, "by_prefix"), 0), "not_told_apart_s");
    expect_null(json_array_get(json_object_get(fine, "by_worker"), 0), "noncpu_s");
    expect_null(budget, "io_wait_s");
    expect_null(json_object_get(budget, "shares_pct"), "io_wait");
    expect_null(json_array_get(json_object_get(budget, "by_worker"), 0), "io_wait_s");
    expect_json(json_array_get(json_object_get(budget, "by_worker"), 0), "idle_s", 20);
    json_decref(root);
}

/* 9.9 s of 10 s. */
Test(budget, the_weightiest_wait_is_shown_however_narrow_the_screen)
{
    const uint64_t values[CUP_COUNTER_COUNT] = {[CUP_C_SLEEP_NS] = 9900000000};
    struct cup_r_counters block = {
        .task = 1, .tid = 5, .block = 1, .sequence = 1, .own = CUP_BLOCK_RUNS};
    static const char *const widths[] = {"40", "60", "90"};
    begin(1, 5, 0, CUP_ORIGIN_DASK);
    builder_counters(&builder, &block, values);
    end(1, 10, 0.1);
    load_with(CUP_FEATURE_WAITS | CUP_FEATURE_GIL);
    for (int i = 0; i < 3; i++) {
        char *text = report_text("waits", widths[i]);
        cr_expect_not_null(strstr(text, "sleep"), "%s", text);
        cr_expect_not_null(strstr(text, " 99.0"), "%s", text);
        cr_expect_eq(!strstr(text, "Columns hidden at this width: "), i == 2, "%s", text);
        free(text);
    }
}

Test(budget, without_waits_only_durations_are_shown)
{
    add_task(1, 5, 0, 10);
    load_with(0);
    char *text = report_text("waits", "100");
    cr_expect_null(strstr(text, "Waits"));
    cr_expect_not_null(strstr(text, "Durations"));
    free(text);
}

Test(budget, json_has_the_advice)
{
    add_waiting_task();
    load_with(CUP_FEATURE_WAITS);
    json_t *root = report_json(scratch, outside), *advice = json_object_get(root, "advice");
    cr_assert_geq(json_array_size(advice), 1);
    cr_expect_str_eq(json_string_value(json_object_get(json_array_get(advice, 0), "rule")),
                     "starved");
    json_decref(root);
}

/* Every formula against figures worked out by hand from the golden run (support.c). */
#include <criterion/criterion.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/advice/advice.h"
#include "analysis/metrics/chunks/slowest.h"
#include "analysis/metrics/metrics.h"
#include "tests/analysis/support.h"

static struct cup_profile profile;
static struct cup_totals totals;

static void set_up(void)
{
    load_golden(&profile);
    cr_assert_eq(cup_totals_make(&totals, &profile), 0);
}

static void tear_down(void)
{
    cup_totals_free(&totals);
    cup_profile_free(&profile);
}

TestSuite(metrics, .init = set_up, .fini = tear_down);

static void expect(const char *section, const char *name, double expected)
{
    double value = cup_number(named_metric(&totals, section, name));
    cr_assert(fabs(value - expected) <= 1e-9 * fmax(1, fabs(expected)), "%s is %.17g, not %.17g",
              name, value, expected);
}

static void expect_null(const char *section, const char *name)
{
    cr_assert_eq(named_metric(&totals, section, name).kind, CUP_VALUE_NULL, "%s", name);
}

Test(metrics, times)
{
    expect("workflow", "t_start", 1700000010);
    expect("workflow", "t_stop", 1700000022);
    expect("workflow", "wall_time", 12);
    expect("workflow", "process_s", 11);
    expect("workflow", "merge_s", 1);
    expect_null("workflow", "tail_s"); /* four attempts are too few */
    expect_null("workflow", "preprocess_s");
    expect("workflow", "total_task_time", 4 + 8 + 1 + 2 + 1);
    expect("workflow", "total_thread_cpu_time", 2 + 6 + 0.5 + 1 + 0.5);
    expect("workflow", "total_cpu_time", 2 + 5 + 1);
    expect("workflow", "avg_cpu_time_per_chunk", 8.0 / 3);
}

Test(metrics, counts)
{
    expect("workflow", "num_chunks", 3);
    expect("workflow", "num_failed_chunks", 1);
    expect("workflow", "num_retried_chunks", 1);
    expect("workflow", "total_events", 5000);
    expect("workflow", "total_bytes_read", 1157);
}

Test(metrics, rates)
{
    expect("workflow", "delivered_rate_gbps", 1157 * 8 / 1e9 / 12);
    expect("workflow", "overall_rate_gbps", 1157 * 8 / 1e9 / 12);
    expect("workflow", "delivered_rate_mbs", 1157 / 1e6 / 12);
    expect("workflow", "delivered_rate_process_mbs", 1157 / 1e6 / 11);
    expect("workflow", "file_rate_gbps", 4000 * 8 / 1e9 / 12);
    expect("workflow", "event_rate_wall_khz", 5.0 / 12);
    expect("workflow", "event_rate_agg_khz", 5.0 / 8);
    expect("workflow", "event_rate_agg_thread_cpu_khz", 5.0 / 10);
    expect("workflow", "event_rate_core_hz", 5000.0 / 24);
    expect("workflow", "event_rate_thread_hz", 5000.0 / 24);
}

Test(metrics, efficiency)
{
    expect("workers", "avg_cores", 2);
    expect("efficiency", "thread_cpu_efficiency", 10.0 / 24);
    expect("efficiency", "speedup_factor", 8.0 / 12);
    expect("efficiency", "io_overhead_pct", 100.0 * (15 - 9.5) / 12);
    expect("efficiency", "wasted_wall_s", 1);
    expect("efficiency", "wasted_cpu_s", 0.5);
    expect("efficiency", "wasted_bytes", 50 + 7);
}

Test(metrics, the_time_budget_adds_up)
{
    expect("time_budget", "threads_s", 24);
    expect("time_budget", "task_cpu_s", 10);
    expect("time_budget", "other_task_s", 6);
    expect("time_budget", "outside_tasks_s", 8);
}

Test(metrics, the_processor_is_told_from_the_rest)
{
    expect("fine", "processor_cpu_time_seconds", 9.5);
    expect("fine", "processor_noncpu_time_seconds", 15 - 9.5);
    expect_null("fine", "basket_decompress_cpu_s");
    expect("fine", "overhead_cpu_time_seconds", 0.5);
    expect("fine", "processor_cpu_percentage", 100 * 9.5 / 15);
    expect("fine", "processor_noncpu_percentage", 100 - 100 * 9.5 / 15);
}

Test(metrics, attribution)
{
    expect("attribution", "bytes_total", 1157 + 57);
    expect("attribution", "bytes_attributed", 1157);
    expect("attribution", "share_attributed", 1157.0 / 1214);
    expect("attribution", "import_bytes", 20);
    cr_assert_eq(cup_method_bytes(&totals, CUP_METHOD_OWN), 857);
    cr_assert_eq(cup_method_bytes(&totals, CUP_METHOD_CONTEXT), 300);
    cr_assert_eq(cup_method_bytes(&totals, CUP_METHOD_NONE), 57);
}

Test(metrics, datasets)
{
    cr_assert_eq(totals.dataset_count, 2);
    const struct cup_dataset *z = &totals.datasets[0];
    cr_assert_eq(z->chunks, 2);
    cr_assert_eq(z->failed, 1);
    cr_assert_eq(z->events, 2000);
    cr_assert_eq(z->wall_ns, 6000000000u);
    cr_assert_eq(z->process_ns, 3000000000u);
    cr_assert_eq(z->read_bytes, 500);
    cr_assert_eq(z->attempt_bytes, 550);
}

/* A task of 1 s with 3 s of CPU time. */
Test(metrics, cpu_time_beyond_the_time_of_a_task_is_not_taken_from_the_waits_of_others)
{
    cup_totals_free(&totals);
    profile.tasks[4].cpu_ns = 3000000000;
    cr_assert_eq(cup_totals_make(&totals, &profile), 0);
    expect("fine", "processor_noncpu_time_seconds", 5.5);
    expect("fine", "overhead_noncpu_time_seconds", 0);
    cr_expect_eq(totals.all.noncpu_ns, 5500000000);
}

/* Events of a part of the chunks are no events of the run. */
Test(metrics, without_the_events_of_a_chunk_those_of_all_are_not_known)
{
    totals.chunks_without_events = 1;
    expect_null("workflow", "total_events");
    expect_null("workflow", "event_rate_wall_khz");
    expect_null("workflow", "event_rate_core_hz");
    cr_expect_not_null(strstr(
        cup_metric_missing(cup_metric_find("workflow", "total_events"), &totals), "entry range"));
}

Test(metrics, a_dataset_without_the_events_of_a_chunk_is_not_the_slowest)
{
    struct cup_slowest slowest;
    cr_expect(cup_slowest_find(&totals, &slowest));
    totals.datasets[0].without_events = 1;
    cr_expect_not(cup_slowest_find(&totals, &slowest));
}

Test(metrics, statistics_over_chunks)
{
    struct cup_statistics s[CUP_STAT_COUNT];
    cup_chunk_statistics(&totals, s);
    cr_assert_eq(s[CUP_STAT_WALL].count, 3);
    cr_assert_float_eq(s[CUP_STAT_WALL].min, 2, 1e-9);
    cr_assert_float_eq(s[CUP_STAT_WALL].mean, 14.0 / 3, 1e-9);
    cr_assert_float_eq(s[CUP_STAT_WALL].median, 4, 1e-9);
    cr_assert_float_eq(s[CUP_STAT_WALL].max, 8, 1e-9);
    cr_assert_float_eq(s[CUP_STAT_WALL].stdev, sqrt(56.0 / 9), 1e-9);
    cr_assert_float_eq(s[CUP_STAT_OPEN].median, 1, 1e-9);
    cr_assert_float_eq(s[CUP_STAT_OPEN].max, 2, 1e-9);
    cr_assert_float_eq(s[CUP_STAT_TIME_PER_EVENT].max, 4.0 / 1000, 1e-12);
    /* The process grew by 50 while two chunks ran, and by 50 for the third. */
    cr_assert_float_eq(s[CUP_STAT_RSS_DELTA].min, 25, 1e-9);
    cr_assert_float_eq(s[CUP_STAT_RSS_DELTA].mean, 100 / 3.0, 1e-9);
    cr_assert_float_eq(s[CUP_STAT_RSS_DELTA].max, 50, 1e-9);
    cr_assert_float_eq(s[CUP_STAT_READ_PER_EVENT].min, 0.1, 1e-9);
    cr_assert_float_eq(s[CUP_STAT_RESULT].max, 64, 1e-9);
}

Test(metrics, sources_that_are_missing_are_null)
{
    expect_null("workflow", "total_bytes_read_coffea");
    expect_null("workflow", "compression_ratio");
    expect_null("workers", "avg_workers");
    expect_null("efficiency", "io_wait_pct");
}

Test(metrics, every_metric_has_a_name_of_its_own_and_a_source)
{
    for (size_t k = 0; k < cup_metric_section_count; k++) {
        const struct cup_metric *metrics = cup_metric_sections[k]->metrics;
        for (size_t i = 0; i < cup_metric_sections[k]->count; i++) {
            cr_assert_gt(strlen(metrics[i].source), 0, "%s", metrics[i].name);
            for (size_t j = 0; j < i; j++)
                cr_assert_str_neq(metrics[i].name, metrics[j].name);
        }
    }
}

Test(metrics, every_id_finds_its_row)
{
    size_t rows = 0;
    for (int id = 0; id < CUP_METRIC_COUNT; id++)
        cr_assert_eq((int)cup_metric((enum cup_metric_id)id)->id, id);
    for (size_t k = 0; k < cup_metric_section_count; k++)
        rows += cup_metric_sections[k]->count;
    cr_assert_eq(rows, CUP_METRIC_COUNT);
    cr_assert_str_eq(cup_metric(CUP_METRIC_wall_time)->name, "wall_time");
    cr_assert_eq(cup_metric_section(CUP_METRIC_measuring_s), &cup_health_metrics);
    cr_assert_null(cup_metric_find("workflow", "no_such_metric"));
}

Test(metrics, advice_states_its_evidence)
{
    struct cup_advice advice[CUP_ADVICE_MOST];
    size_t count = cup_advice_make(&totals, advice);
    cr_assert_geq(count, 3);
    cr_assert_not_null(strstr(advice[0].text, "1 of 6 tasks failed"));
    cr_assert_not_null(strstr(advice[0].text, "OSError: gone"));
    for (size_t i = 0; i < count; i++) {
        cr_assert_not_null(strstr(advice[i].text, "threshold"), "%s", advice[i].text);
        cr_assert(i == 0 || advice[i].weight <= advice[i - 1].weight);
        cr_assert_null(strchr(advice[i].text, '\n'), "%s", advice[i].text);
        cr_assert_lt(advice[i].action, strlen(advice[i].text));
        cr_assert(advice[i].action == 0 || advice[i].text[advice[i].action - 1] == ' ');
    }
}

/* The order is that of the seconds that can be saved; failures come before them. */
Test(metrics, advice_says_what_can_be_saved)
{
    struct cup_advice advice[CUP_ADVICE_MOST];
    size_t count = cup_advice_make(&totals, advice), with_seconds = 0;
    double last = INFINITY;
    for (size_t i = 0; i < count; i++) {
        if (!(advice[i].saves_s > 0) || advice[i].weight > 1)
            continue;
        cr_expect_leq(advice[i].saves_s, last, "%s", advice[i].text);
        last = advice[i].saves_s;
        with_seconds++;
    }
    cr_expect_geq(with_seconds, 1);
}

/* The tail of 5.5 s of a run of 12 s with two threads. */
Test(metrics, advice_on_the_tail_saves_at_most_half_of_it)
{
    struct cup_advice advice[CUP_ADVICE_MOST];
    double saves_s = NAN;
    totals.used_chunks = 20;
    totals.tail_ns = 5500000000;
    size_t count = cup_advice_make(&totals, advice);
    for (size_t i = 0; i < count; i++)
        if (strcmp(advice[i].rule->name, "long_tail") == 0)
            saves_s = advice[i].saves_s;
    cr_expect_float_eq(saves_s, 5.5 * 2 / 2, 1e-9, "%g s", saves_s);
}

Test(metrics, prefixes_with_little_time_are_one_row)
{
    static const uint32_t order[] = {0, 1, 2, 3};
    struct cup_task_sums sums[] = {
        {.wall_ns = 985}, {.wall_ns = 9}, {.wall_ns = 5}, {.wall_ns = 1}};
    struct cup_totals some = {.prefixes = sums, .all.wall_ns = 1000};
    cr_expect_eq(cup_prefixes_alone(&some, order, 4), 1);
    cr_expect_eq(cup_prefixes_alone(&some, order, 2), 2, "one other is no reason for such a row");
    sums[1].erred = 1;
    cr_expect_eq(cup_prefixes_alone(&some, order, 4), 2, "failures are shown");
    sums[3].unfinished = 1;
    cr_expect_eq(cup_prefixes_alone(&some, order, 4), 4);
}

/* ---- profiles with little in them ------------------------------------------------------- */

/* Makes totals of an empty profile in which the task, if any, is the only one. */
static void only(const struct cup_task *task)
{
    tear_down();
    profile = (struct cup_profile){0};
    profile.prefixes = calloc(1, sizeof *profile.prefixes);
    profile.prefix_count = 1;
    profile.processes = calloc(1, sizeof *profile.processes);
    profile.process_count = 1;
    profile.scopes = calloc(1, sizeof *profile.scopes);
    profile.scope_count = 1;
    if (task) {
        profile.tasks = calloc(1, sizeof *profile.tasks);
        profile.tasks[0] = *task;
        profile.task_count = 1;
        profile.processes[0].tasks = profile.processes[0].task_threads = 1;
    }
    cr_assert_eq(cup_totals_make(&totals, &profile), 0);
}

static void expect_finite(void)
{
    struct cup_advice advice[CUP_ADVICE_MOST];
    for (size_t k = 0; k < cup_metric_section_count; k++) {
        for (size_t i = 0; i < cup_metric_sections[k]->count; i++) {
            const struct cup_metric *metric = &cup_metric_sections[k]->metrics[i];
            struct cup_value value = cup_metric_value(metric->id, &totals);
            cr_assert(value.kind == CUP_VALUE_NULL || isfinite(cup_number(value)), "%s",
                      metric->name);
        }
    }
    cup_advice_make(&totals, advice);
}

Test(metrics, without_tasks_nothing_is_divided)
{
    only(NULL);
    expect_finite();
    expect_null("workflow", "wall_time");
    expect_null("workflow", "event_rate_wall_khz");
    expect_null("efficiency", "thread_cpu_efficiency");
    expect("workflow", "num_chunks", 0);
}

Test(metrics, a_task_of_no_duration)
{
    const struct cup_task task = {.start_ns = 5,
                                  .stop_ns = 5,
                                  .status = CUP_STATUS_FINISHED,
                                  .rss_start = CUP_RSS_UNKNOWN,
                                  .rss_stop = CUP_RSS_UNKNOWN};
    only(&task);
    expect_finite();
    expect("workflow", "wall_time", 0);
    expect_null("workflow", "delivered_rate_mbs");
    expect_null("efficiency", "thread_cpu_efficiency");
}

Test(metrics, a_clock_that_went_back)
{
    const struct cup_task task = {
        .start_ns = 9, .stop_ns = 5, .status = CUP_STATUS_FINISHED, .cpu_ns = CUP_UNKNOWN64};
    only(&task);
    expect_finite();
    expect("workflow", "total_task_time", 0);
    expect_null("workflow", "total_thread_cpu_time");
}

Test(metrics, only_an_unfinished_task)
{
    const struct cup_task task = {.start_ns = 9, .cpu_ns = CUP_UNKNOWN64};
    only(&task);
    expect_finite();
    expect_null("workflow", "wall_time");
    expect("health", "tasks_unfinished", 1);
}

/* An async task has no CPU clock, but it may have helper threads. */
Test(metrics, events_per_cpu_time_need_a_cpu_clock)
{
    totals.all.without_cpu = totals.all.finished + totals.all.erred;
    totals.counters[CUP_C_HELPER_CPU_NS] = 1000000000;
    expect_null("workflow", "total_thread_cpu_time");
    expect_null("workflow", "event_rate_agg_thread_cpu_khz");
}

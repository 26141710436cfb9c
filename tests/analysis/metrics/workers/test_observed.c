/* What samples say of the workers, against figures worked out by hand. */
#include <criterion/criterion.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/advice/advice.h"
#include "analysis/metrics/metrics.h"
#include "analysis/metrics/workers/tracking.h"
#include "cli/verbs.h"
#include "tests/analysis/support.h"

static char scratch[SUPPORT_PATH], outside[SUPPORT_PATH];
static struct log_builder builder;
static struct cup_profile profile;
static struct cup_totals totals;

enum { A = 1, B, C, NAME, PREFIX };

static void set_up(void)
{
    static const char *const texts[] = {
        NULL, "tcp://10.0.0.1:4000", "tcp://10.0.0.1:5000", "tcp://10.0.0.2:4000", "w", "Dimuon"};
    make_scratch(scratch);
    make_scratch(outside);
    builder_start(&builder);
    for (uint32_t id = 1; id < sizeof texts / sizeof *texts; id++)
        builder_string(&builder, id, texts[id]);
}

static void tear_down(void)
{
    cup_totals_free(&totals);
    cup_profile_free(&profile);
    builder_free(&builder);
    remove_scratch(scratch);
    remove_scratch(outside);
}

TestSuite(observed, .init = set_up, .fini = tear_down);

/* ---- logs -------------------------------------------------------------------------------- */

static void add_server(uint32_t id, uint32_t role, uint32_t address)
{
    struct cup_r_server server = {.id = id, .role = role, .address = address};
    BUILDER_ADD(&builder, CUP_R_SERVER, server);
}

/* From 10 s to 14 s, of which 6 s are CPU: it makes the run. */
static void add_task(double start, double stop)
{
    struct cup_r_task_begin begin = {.task = 1,
                                     .tid = 9,
                                     .prefix = PREFIX,
                                     .origin = CUP_ORIGIN_DASK,
                                     .start_ns = at_second(start)};
    struct cup_r_task_end end = {.task = 1,
                                 .status = CUP_STATUS_FINISHED,
                                 .stop_ns = at_second(stop),
                                 .cpu_ns = UINT64_C(6000000000)};
    builder_begin(&builder, &begin, "key");
    BUILDER_ADD(&builder, CUP_R_TASK_END, end);
}

/* A scheduler with workers A and B on one host, C on another. */
static void add_scheduler(void)
{
    add_server(1, CUP_ROLE_SCHEDULER, NAME);
    builder_worker(&builder, 1, 1, A, NAME);
    builder_worker(&builder, 2, 1, B, NAME);
    builder_worker(&builder, 3, 1, C, NAME);
}

struct row {
    uint64_t threads, limit, processing, executing;
};

#define NONE CUP_UNKNOWN64

static void put_row(uint32_t sample, uint32_t worker, struct row row, const uint64_t *heartbeat)
{
    uint64_t values[CUP_WV_COUNT];
    builder_unknown(values, CUP_WV_COUNT);
    values[CUP_WV_THREADS] = row.threads;
    values[CUP_WV_MEMORY_LIMIT] = row.limit;
    values[CUP_WV_PROCESSING] = row.processing;
    values[CUP_WV_EXECUTING] = row.executing;
    builder_row(&builder, sample, worker, values, heartbeat);
}

/* RSS 0: its heartbeat is the one before. */
static void add_row(uint32_t sample, uint32_t worker, struct row row, uint64_t rss)
{
    uint64_t heartbeat[CUP_HV_COUNT];
    builder_unknown(heartbeat, CUP_HV_COUNT);
    heartbeat[CUP_HV_TIME_NS] = sample;
    heartbeat[CUP_HV_RSS] = rss;
    put_row(sample, worker, row, rss ? heartbeat : NULL);
}

static void add_sample(uint32_t number, double second, uint64_t workers, uint64_t threads)
{
    uint64_t values[CUP_SV_COUNT];
    builder_unknown(values, CUP_SV_COUNT);
    values[CUP_SV_WORKERS] = workers;
    values[CUP_SV_THREADS] = threads;
    values[CUP_SV_TICK_NS] = 20000000;
    values[CUP_SV_LOOP_LONGEST_NS] = 20000000 * (uint64_t)number;
    builder_sample(&builder, number, 1, at_second(second), values);
}

static void save(const char *name)
{
    builder_finish(&builder);
    save_log(&builder, scratch, name);
}

static void load(void)
{
    const struct cup_load_options options = {.counters = true};
    struct cup_error error;
    cr_assert_eq(cup_profile_load(&profile, scratch, &options, &error), 0, "%s", error.text);
    cr_assert_eq(cup_totals_make(&totals, &profile), 0);
}

static void make(void)
{
    save("a.cup");
    load();
}

static void expect(const char *name, double expected)
{
    double value = cup_number(named_metric(&totals, "workers", name));
    cr_expect(fabs(value - expected) <= 1e-9 * fmax(1, fabs(expected)), "%s is %.17g, not %.17g",
              name, value, expected);
}

static void expect_in(const char *section, const char *name, double expected)
{
    double value = cup_number(named_metric(&totals, section, name));
    cr_expect(fabs(value - expected) <= 1e-9 * fmax(1, fabs(expected)), "%s is %.17g, not %.17g",
              name, value, expected);
}

static void expect_null(const char *name)
{
    cr_expect_eq(named_metric(&totals, "workers", name).kind, CUP_VALUE_NULL, "%s", name);
}

/* Nothing that is shown is a number that is none. */
static void expect_sound(void)
{
    const struct cup_metric_section *section = &cup_workers_metrics;
    char source[CUP_SOURCE_ROOM];
    for (size_t i = 0; i < section->count; i++) {
        const struct cup_metric *metric = &section->metrics[i];
        struct cup_value value = cup_metric_value(metric->id, &totals);
        cr_expect(value.kind != CUP_VALUE_REAL || isfinite(value.real), "%s", metric->name);
        cr_expect(value.kind != CUP_VALUE_NULL || *cup_metric_missing(metric, &totals), "%s",
                  metric->name);
        cup_metric_source(metric, &totals, source);
        cr_expect_null(strpbrk(source, "@#"), "%s: %s", metric->name, source);
    }
    json_decref(report_json(scratch, outside));
}

/* ---- how many workers -------------------------------------------------------------------- */

/* Samples at 9, 11, 13, 15 s of a run from 10 to 14 s: 1, 2, 2, 4 workers; 2, 6, 6, 10 threads.
 * At its borders there are 1.5 and 3 workers, 4 and 8 threads. */
static void add_growing(void)
{
    const struct row small = {2, NONE, 0, 0}, large = {4, NONE, 0, 0};
    add_scheduler();
    add_task(10, 14);
    add_row(1, 1, small, 1000);
    add_sample(1, 9, 1, 2);
    add_row(2, 1, small, 0);
    add_row(2, 2, large, 1000);
    add_sample(2, 11, 2, 6);
    add_sample(3, 13, 2, 6);
    add_sample(4, 15, 4, 10);
}

Test(observed, workers_over_time_are_cut_at_the_run)
{
    add_growing();
    make();
    expect("avg_workers", (1.75 * 1 + 2 * 2 + 2.5 * 1) / 4);
    expect("mean_workers", 2);
    expect("peak_workers", 2);
    expect("avg_cores", (5 * 1 + 6 * 2 + 7 * 1) / 4.0);
    expect("num_samples", 2);
    expect("sample_interval_s", 2);
    expect("sample_longest_gap_s", 2);
    expect_null("sample_interval_asked_s");
    expect_sound();
}

Test(observed, workers_of_different_size)
{
    add_growing();
    make();
    expect("cores_per_worker", 3);
    expect("cores_per_worker_min", 2);
    expect("cores_per_worker_max", 4);
    expect("total_cores", 8.25 / 4 * 3);
}

static void leave_one_worker_without_log(void);

/* The threads of all workers are known, and what those with a log did. */
Test(observed, of_a_worker_without_log_no_share_of_its_threads_is_known)
{
    static const char *const names[][2] = {{"efficiency", "thread_cpu_efficiency"},
                                           {"efficiency", "thread_cpu_efficiency_total_cores"},
                                           {"efficiency", "core_efficiency"},
                                           {"efficiency", "core_efficiency_avg_cores"},
                                           {"efficiency", "speedup_factor"},
                                           {"workflow", "event_rate_core_hz"},
                                           {"workflow", "event_rate_core_avg_cores_hz"}};
    struct cup_r_item item = {
        .task = 1, .kind = CUP_ITEM_WORK, .entry_start = 0, .entry_stop = 100};
    struct cup_r_chunk chunk = {.task = 1, .tic_ns = at_second(10), .toc_ns = at_second(12)};
    leave_one_worker_without_log();
    BUILDER_ADD(&builder, CUP_R_ITEM, item);
    BUILDER_ADD(&builder, CUP_R_CHUNK, chunk);
    make();
    expect_in("workflow", "total_events", 100);
    expect_in("workflow", "total_cpu_time", 2);
    expect("avg_cores", 8);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const struct cup_metric *metric = cup_metric_find(names[i][0], names[i][1]);
        cr_expect_eq(cup_metric_value(metric->id, &totals).kind, CUP_VALUE_NULL, "%s",
                     metric->name);
        cr_expect_not_null(strstr(cup_metric_missing(metric, &totals), "left no log"), "%s",
                           metric->name);
    }
}

Test(observed, the_interval_that_was_asked_for)
{
    uint64_t values[CUP_SV_COUNT];
    builder_unknown(values, CUP_SV_COUNT);
    values[CUP_SV_WORKERS] = 0;
    values[CUP_SV_INTERVAL_NS] = 500000000;
    add_scheduler();
    builder_sample(&builder, 1, 1, at_second(10), values);
    make();
    expect("sample_interval_asked_s", 0.5);
}

Test(observed, threads_are_added_up_where_the_scheduler_does_not_say)
{
    const struct row row = {3, NONE, 0, 0};
    add_scheduler();
    add_task(10, 12);
    add_row(1, 1, row, 1000);
    add_sample(1, 10, 1, NONE);
    add_row(2, 2, row, 1000);
    add_sample(2, 12, 2, NONE);
    make();
    expect("avg_cores", 4.5);
}

/* ---- few samples ------------------------------------------------------------------------- */

Test(observed, without_samples_there_is_a_reason)
{
    add_task(10, 12);
    make();
    expect_null("avg_workers");
    expect_null("peak_memory_bytes");
    expect_null("num_samples");
    cr_expect_not_null(strstr(totals.observed->reason, "no samples"));
    expect_sound();
}

Test(observed, one_sample)
{
    add_scheduler();
    add_task(10, 12);
    add_row(1, 1, (struct row){4, 2000, 6, 3}, 1000);
    add_sample(1, 11, 1, 4);
    make();
    expect("avg_workers", 1);
    expect("peak_workers", 1);
    expect("avg_cores", 4);
    expect("avg_memory_per_worker_bytes", 1000);
    expect("memory_utilization_pct", 50);
    expect("cpu_utilization_pct", 150);
    expect("executing_utilization_pct", 75);
    expect_null("sample_interval_s");
    expect_null("sample_longest_gap_s");
    expect_sound();
}

/* A run between two samples: what lies between them counts. */
Test(observed, no_sample_within_the_run)
{
    add_scheduler();
    add_task(10.25, 10.75);
    add_row(1, 1, (struct row){4, 2000, 0, 0}, 1000);
    add_sample(1, 10, 1, 4);
    add_row(2, 1, (struct row){4, 2000, 4, 4}, 2000);
    add_sample(2, 11, 1, 4);
    make();
    expect("avg_workers", 1);
    expect("peak_workers", 1);
    expect("avg_cores", 4);
    expect("avg_memory_per_worker_bytes", 1500);
    expect("peak_memory_bytes", 1750);
    expect("num_samples", 0);
    expect_sound();
}

/* Who came in between may have come before the run or after it: the logs know better. */
Test(observed, no_sample_within_the_run_and_a_worker_came)
{
    add_scheduler();
    add_task(10.25, 10.75);
    add_sample(1, 10, 0, 0);
    add_row(2, 1, (struct row){4, 2000, 4, 4}, 2000);
    add_sample(2, 11, 1, 4);
    make();
    expect("avg_cores", cup_number(named_metric(&totals, "workers", "avg_cores_estimate")));
    cr_expect(cup_number(named_metric(&totals, "workers", "avg_cores_estimate")) > 0);
    expect_sound();
}

Test(observed, samples_of_another_time)
{
    add_scheduler();
    add_task(100, 101);
    add_row(1, 1, (struct row){4, 2000, 0, 0}, 1000);
    add_sample(1, 10, 1, 4);
    make();
    expect_null("avg_workers");
    cr_expect_not_null(strstr(totals.observed->reason, "within the run"));
    expect_sound();
}

Test(observed, no_tasks_and_no_workers)
{
    add_scheduler();
    add_sample(1, 10, 0, 0);
    add_sample(2, 12, 0, 0);
    make();
    expect("avg_workers", 0);
    expect("peak_workers", 0);
    expect("avg_cores", 0);
    expect_null("cores_per_worker");
    expect_null("total_cores");
    expect_null("peak_memory_bytes");
    expect_sound();
}

Test(observed, a_worker_without_threads)
{
    add_scheduler();
    add_task(10, 11);
    add_row(1, 1, (struct row){0, 0, 1, 1}, 1000);
    add_sample(1, 10, 1, 0);
    add_sample(2, 11, 1, 0);
    make();
    expect_null("cpu_utilization_pct");
    expect_null("memory_utilization_pct");
    expect("workers_without_memory_limit", 1);
    expect_sound();
}

/* ---- workers that come and go ------------------------------------------------------------ */

/* A is there at 10 and 11 s, gone at 12, back at 13 and 14: nothing joins 11 and 13. */
Test(observed, a_worker_that_came_back_was_away_meanwhile)
{
    const struct row row = {2, NONE, 0, 0};
    add_scheduler();
    add_task(10, 14);
    add_row(1, 1, row, 1000);
    add_sample(1, 10, 1, 2);
    add_row(2, 1, row, 3000);
    add_sample(2, 11, 1, 2);
    builder_gone(&builder, 3, 1);
    add_sample(3, 12, 0, 0);
    add_row(4, 1, row, 9000);
    add_sample(4, 13, 1, 2);
    add_row(5, 1, row, 5000);
    add_sample(5, 14, 1, 2);
    make();
    expect("avg_workers", (1 + 0.5 + 0.5 + 1) / 4);
    expect("avg_memory_per_worker_bytes", (2000 + 7000) / 2);
    expect("peak_memory_bytes", 9000);
    cr_expect_eq(totals.observed->known, 1);
    cr_expect_float_eq(
        cup_observed_find(totals.observed, cup_profile_text(&profile, A))->present.span_ns, 2e9, 1);
}

/* ---- memory ------------------------------------------------------------------------------ */

/* A: 1000 at 10 s, told again at 11 s, 3000 at 12 s; B without limit: 500 all the time. */
Test(observed, a_heartbeat_counts_once)
{
    const struct row a = {1, 4000, 0, 0}, b = {1, NONE, 0, 0};
    add_scheduler();
    add_task(10, 12);
    add_row(1, 1, a, 1000);
    add_row(1, 2, b, 500);
    add_sample(1, 10, 2, 2);
    add_sample(2, 11, 2, 2);
    add_row(3, 1, a, 3000);
    add_sample(3, 12, 2, 2);
    make();
    expect("num_heartbeats", 3);
    expect("num_repeated_heartbeats", 3);
    expect("peak_memory_bytes", 3000);
    expect("avg_memory_per_worker_bytes", ((1000 + 2000) / 2.0 + 500) / 2);
    expect("mean_memory_per_worker_bytes", 1500);
    expect("memory_utilization_pct", (25 + 75) / 2.0);
    expect("memory_utilization_pct_min", 25);
    expect("memory_utilization_pct_max", 75);
    expect("workers_without_memory_limit", 1);
}

/* 1000 at 10 s, 3000 at 11 s, and nothing new up to 14 s. */
Test(observed, what_a_heartbeat_told_holds)
{
    const struct row row = {1, 4000, 0, 0};
    add_scheduler();
    add_task(10, 14);
    add_row(1, 1, row, 1000);
    add_sample(1, 10, 1, 1);
    add_row(2, 1, row, 3000);
    add_sample(2, 11, 1, 1);
    add_sample(3, 12, 1, 1);
    add_sample(4, 14, 1, 1);
    make();
    expect("avg_memory_per_worker_bytes", (2000 * 1 + 3000 * 3) / 4.0);
    expect("mean_memory_per_worker_bytes", 2000);
    expect("num_repeated_heartbeats", 2);
}

/* ---- use --------------------------------------------------------------------------------- */

Test(observed, use_of_threads)
{
    uint64_t heartbeat[CUP_HV_COUNT];
    builder_unknown(heartbeat, CUP_HV_COUNT);
    heartbeat[CUP_HV_TIME_NS] = 1;
    heartbeat[CUP_HV_CPU_NS_PER_S] = UINT64_C(3000000000);
    add_scheduler();
    add_task(10, 12);
    put_row(1, 1, (struct row){4, NONE, 8, 4}, heartbeat);
    put_row(1, 2, (struct row){2, NONE, 0, 0}, NULL);
    add_sample(1, 10, 2, 6);
    put_row(2, 1, (struct row){4, NONE, 4, 2}, NULL);
    add_sample(2, 12, 2, 6);
    make();
    expect("cpu_utilization_pct", (200 + 100 + 0 + 0) / 4.0);
    expect("cpu_utilization_pct_min", 0);
    expect("cpu_utilization_pct_max", 200);
    expect("executing_utilization_pct", (100 + 50 + 0 + 0) / 4.0);
    expect("real_cpu_utilization_pct", 75);
    expect_null("real_cpu_utilization_process_pct");
}

/* ---- what heartbeats tell ---------------------------------------------------------------- */

static void add_told(uint32_t sample, uint32_t worker, uint64_t scale)
{
    uint64_t heartbeat[CUP_HV_COUNT];
    builder_unknown(heartbeat, CUP_HV_COUNT);
    heartbeat[CUP_HV_TIME_NS] = sample;
    heartbeat[CUP_HV_RSS] = 1000 * scale;
    heartbeat[CUP_HV_MANAGED_BYTES] = 400 * scale;
    heartbeat[CUP_HV_SPILLED_MEMORY_BYTES] = 100 * scale;
    heartbeat[CUP_HV_SPILLED_DISK_BYTES] = 50 * scale;
    heartbeat[CUP_HV_HOST_NET_READ_BPS] = 10 * scale;
    heartbeat[CUP_HV_HOST_DISK_WRITE_BPS] = 20 * scale;
    heartbeat[CUP_HV_LOOP_INTERVAL_NS] = 20000000 + 10000000 * scale;
    heartbeat[CUP_HV_NUM_FDS] = 30 * scale;
    put_row(sample, worker, (struct row){1, NONE, 0, 0}, heartbeat);
}

/* A and B share a host, C has its own. At 10 s they tell 1, 3 and 4 times something; at 12 s A
 * tells 5 times. */
static void add_telling(void)
{
    add_scheduler();
    add_task(10, 12);
    add_told(1, 1, 1);
    add_told(1, 2, 3);
    add_told(1, 3, 4);
    add_sample(1, 10, 3, 3);
    add_told(2, 1, 5);
    add_sample(2, 12, 3, 3);
}

Test(observed, sums_over_workers)
{
    add_telling();
    make();
    expect("spilled_bytes", 50 * (8 + 12) / 2.0);
    expect("spilled_bytes_peak", 600);
    expect("spilled_bytes_per_worker", 50 * (3 + 3 + 4) / 3.0 + 1.0 / 3); /* whole bytes */
    expect("spilled_bytes_per_worker_peak", 250);
    expect("managed_bytes", 300 * 10);
    expect("unmanaged_bytes_peak", 700 * 12);
    expect("num_fds", 300);
    expect("num_fds_per_worker_peak", 150);
}

Test(observed, a_host_counts_once)
{
    add_telling();
    make();
    expect("host_net_read_bps", 10 * ((2 + 4) + (4 + 4)) / 2.0);
    expect("host_net_read_bps_peak", 80);
    expect("host_disk_write_bps_peak", 160);
    expect("host_disk_write_bps_per_worker_peak", 100);
    expect_null("host_disk_read_bps");
}

Test(observed, stalls_are_beyond_the_tick)
{
    add_telling();
    make();
    expect("event_loop_stall_s", 0.01 * (3 + 3 + 4) / 3.0);
    expect("event_loop_stall_s_peak", 0.05);
    expect("scheduler_event_loop_stall_s", 0.01);
    expect("scheduler_event_loop_stall_s_peak", 0.02);
}

/* ---- workers' own samples ---------------------------------------------------------------- */

static void add_own(uint32_t number, double second, uint64_t rss, uint64_t cpu)
{
    uint64_t heartbeat[CUP_HV_COUNT], values[CUP_SV_COUNT];
    builder_unknown(heartbeat, CUP_HV_COUNT);
    builder_unknown(values, CUP_SV_COUNT);
    heartbeat[CUP_HV_TIME_NS] = number;
    heartbeat[CUP_HV_RSS] = rss;
    heartbeat[CUP_HV_MANAGED_BYTES] = 400; /* with what is spilled: how much is not known */
    heartbeat[CUP_HV_CPU_NS_PER_S] = cpu;
    values[CUP_SV_TICK_NS] = 20000000;
    values[CUP_SV_LOOP_LONGEST_NS] = 120000000;
    put_row(number, 1, (struct row){2, 4000, NONE, 1}, heartbeat);
    builder_sample(&builder, number, 1, at_second(second), values);
}

/* A is there from 10 to 14 s, B (a log of its own) from 12 to 16 s; the run ends at 16 s. */
static void add_workers_alone(void)
{
    add_server(1, CUP_ROLE_WORKER, A);
    builder_worker(&builder, 1, 1, A, NAME);
    add_task(10, 16);
    add_own(1, 10, 1000, NONE);
    add_own(2, 12, 2000, UINT64_C(1000000000));
    add_own(3, 14, 1000, UINT64_C(3000000000));
    save("a.cup");
    builder_free(&builder);
    builder_start(&builder);
    builder_string(&builder, B, "tcp://10.0.0.1:5000");
    add_server(1, CUP_ROLE_WORKER, B);
    builder_worker(&builder, 1, 1, B, 0);
    add_own(1, 12, 4000, NONE);
    add_own(2, 16, 4000, UINT64_C(500000000));
    save("b.cup");
}

Test(observed, without_a_scheduler_the_workers_are_asked)
{
    add_workers_alone();
    load();
    cr_assert_eq(totals.observed->origin, CUP_SAMPLES_WORKERS);
    cr_expect_not_null(strstr(totals.observed->source, "estimated"));
    expect("avg_workers", 8 / 6.0);
    expect("mean_workers", 8 / 6.0);
    expect("peak_workers", 2);
    expect("avg_cores", 16 / 6.0);
    expect("cores_per_worker", 2);
    expect("peak_memory_bytes", 4000);
    expect("avg_memory_per_worker_bytes", (1500 + 4000) / 2);
    expect("memory_utilization_pct_max", 100);
    expect("executing_utilization_pct", 50);
    expect("event_loop_stall_s_peak", 0.1);
    expect_null("managed_bytes_per_worker");
    expect_null("unmanaged_bytes_per_worker");
    expect_null("unmanaged_bytes");
    expect_null("cpu_utilization_pct");
    expect_null("spilled_bytes_peak");
    expect("num_samples", 5);
    expect("sample_longest_gap_s", 4);
    expect_null("num_heartbeats");
    expect_sound();
}

/* The run of 1.2 s is shorter than the interval of the samples: the worker's own log says that the
 * worker was there all the time. */
Test(observed, of_a_short_run_the_logs_say_how_many)
{
    struct cup_r_server server = {.id = 1, .role = CUP_ROLE_WORKER, .address = A, .threads = 2};
    add_scheduler();
    add_sample(1, 10, 0, 0);
    add_row(2, 1, (struct row){2, NONE, 0, 0}, 1000);
    add_sample(2, 12, 1, 2);
    save("a.cup");
    builder_free(&builder);
    builder_start(&builder);
    builder_header(&builder)->log_start_ns = at_second(9);
    builder_header(&builder)->log_stop_ns = at_second(13);
    builder_string(&builder, A, "tcp://10.0.0.1:4000");
    BUILDER_ADD(&builder, CUP_R_SERVER, server);
    add_task(10.5, 11.7);
    save("b.cup");
    load();
    expect("avg_workers", 1);
    expect("peak_workers", 1);
    expect("avg_cores", 2);
}

/* A: 2 s at 1 core and 2 s at 3; B: 4 s at half a core; of two threads each. */
Test(observed, clocks_of_processes)
{
    add_workers_alone();
    load();
    expect("real_cpu_utilization_process_pct", 100 * (2 + 6 + 2) / (8.0 + 8));
}

/* ---- timelines --------------------------------------------------------------------------- */

Test(observed, timelines_are_thinned)
{
    struct cup_tracking tracking;
    add_scheduler();
    add_task(10, 110);
    for (uint32_t i = 1; i <= 101; i++) {
        add_row(i, 1, (struct row){1, NONE, i, 0}, i == 1 ? 1000 : 0);
        if (i >= 50)
            add_row(i, 2, (struct row){1, NONE, i, 0}, i == 50 ? 1000 : 0);
        add_sample(i, 9 + i, i < 50 ? 1 : 2, 2);
    }
    make();
    cr_assert_eq(cup_tracking_make(&tracking, totals.observed, 0), 0);
    cr_expect_eq(tracking.every, 1);
    cr_expect_eq(tracking.row_count, 101 + 52);
    cr_expect_eq(tracking.moment_count, 101);
    cup_tracking_free(&tracking);
    cr_assert_eq(cup_tracking_make(&tracking, totals.observed, 40), 0);
    cr_expect_eq(tracking.every, 4);
    cr_expect_eq(tracking.first[1], 26);
    cr_expect_eq(tracking.rows[0].values[CUP_SEEN_PROCESSING], 1);
    cr_expect_eq(tracking.rows[1].values[CUP_SEEN_PROCESSING], 5);
    cr_expect_eq(tracking.rows[25].values[CUP_SEEN_PROCESSING], 101);
    cr_expect_eq(tracking.rows[26].values[CUP_SEEN_PROCESSING], 50); /* its first one */
    cr_expect_eq(tracking.rows[27].values[CUP_SEEN_PROCESSING], 53);
    cr_expect_eq(tracking.rows[26].time_ns, at_second(59));
    cup_tracking_free(&tracking);
}

Test(observed, json_has_rows_and_timelines)
{
    add_telling();
    make();
    json_t *root = report_json(scratch, outside);
    json_t *workers = json_object_get(root, "workers");
    json_t *rows = json_object_get(workers, "rows"), *row = json_array_get(rows, 1);
    cr_assert_eq(json_array_size(rows), 3);
    cr_expect_str_eq(json_string_value(json_object_get(row, "worker")), "tcp://10.0.0.1:5000");
    cr_expect_eq(json_integer_value(json_object_get(row, "spilled_bytes_peak")), 150);
    cr_expect_eq(json_integer_value(json_object_get(row, "samples")), 2);
    cr_expect_eq(json_integer_value(json_object_get(row, "heartbeats")), 1);
    cr_expect(json_is_null(json_object_get(row, "host")));
    json_t *data = json_object_get(workers, "tracking_data");
    cr_expect_eq(json_array_size(json_object_get(data, "worker_counts")), 2);
    json_t *line = json_object_get(json_object_get(data, "worker_memory"), "tcp://10.0.0.1:4000");
    json_t *point = json_array_get(line, 1);
    cr_assert_eq(json_array_size(line), 2);
    cr_expect_float_eq(json_number_value(json_array_get(point, 0)), 1700000012, 1e-6);
    cr_expect_eq(json_integer_value(json_array_get(point, 1)), 5000);
    json_decref(root);
}

/* ---- advice ------------------------------------------------------------------------------ */

static void expect_advised(const char *rule, const char *part)
{
    struct cup_advice advice[CUP_ADVICE_MOST];
    size_t count = cup_advice_make(&totals, advice);
    const char *text = advice_text(advice, count, rule);
    if (!part) {
        cr_expect_null(text, "%s is said: %s", rule, text);
        return;
    }
    cr_assert_not_null(text, "%s is not said", rule);
    cr_expect_not_null(strstr(text, part), "%s is not in: %s", part, text);
    cr_expect_not_null(strstr(text, "threshold"));
}

static void add_full_worker(uint64_t rss, uint64_t spilled, uint64_t stall_s)
{
    uint64_t heartbeat[CUP_HV_COUNT];
    builder_unknown(heartbeat, CUP_HV_COUNT);
    heartbeat[CUP_HV_TIME_NS] = 1;
    heartbeat[CUP_HV_RSS] = rss;
    heartbeat[CUP_HV_SPILLED_DISK_BYTES] = spilled;
    heartbeat[CUP_HV_LOOP_INTERVAL_NS] = 20000000 + stall_s * 1000000000;
    add_scheduler();
    add_task(10, 12);
    put_row(1, 1, (struct row){4, 1000, 0, 0}, heartbeat);
    add_sample(1, 10, 1, 4);
    add_sample(2, 12, 1, 4);
    make();
}

Test(observed, advice_on_workers_in_need)
{
    add_full_worker(810, 3000000, 2);
    expect_advised("memory_near_limit", "81 %");
    expect_advised("spilling", "3.00 MB");
    expect_advised("loop_stalled", "a worker was blocked for 2.00 s");
    expect_advised("workers_missing", NULL);
}

Test(observed, shares_of_a_thread_say_whose_clock_they_are_by)
{
    setenv("COLUMNS", "200", 1);
    add_full_worker(810, 0, 0);
    const char *const arguments[] = {"report", scratch, "--only", "workers", NULL};
    cr_assert_eq(run_verb(outside, cup_verb_report, arguments), 0);
    char *page = read_text_in(outside, "out");
    cr_expect_not_null(strstr(page, "CPU n/a by the processes' clocks (n/a in Dask's samples); "
                                    "tasks that run: 0; tasks that run or wait for a thread: 0"),
                       "%s", page);
    free(page);
}

/* A worker was restarted under the same address: the samples have one worker, the logs two. */
Test(observed, shared_address_has_no_samples)
{
    struct cup_r_server server = {.id = 1, .role = CUP_ROLE_WORKER, .address = A, .threads = 2};
    for (int i = 0; i < 2; i++) {
        builder_free(&builder);
        builder_start(&builder);
        builder_header(&builder)->pid = 100 + (uint32_t)i;
        builder_header(&builder)->log_start_ns = at_second(9 + 2 * i);
        builder_header(&builder)->log_stop_ns = at_second(11 + 2 * i);
        builder_string(&builder, A, "tcp://10.0.0.1:4000");
        builder_string(&builder, PREFIX, "Dimuon");
        BUILDER_ADD(&builder, CUP_R_SERVER, server);
        add_task(9.5 + 2 * i, 10.5 + 2 * i);
        save(i ? "b.cup" : "a.cup");
    }
    builder_free(&builder);
    builder_start(&builder);
    builder_string(&builder, A, "tcp://10.0.0.1:4000");
    builder_string(&builder, B, "tcp://10.0.0.1:5000");
    builder_string(&builder, C, "tcp://10.0.0.2:4000");
    builder_string(&builder, NAME, "w");
    add_scheduler();
    add_row(1, 1, (struct row){2, NONE, 0, 0}, 1000);
    add_sample(1, 10, 1, 2);
    add_row(2, 1, (struct row){2, NONE, 0, 0}, 3000);
    add_sample(2, 12, 1, 2);
    save("c.cup");
    json_t *root = report_json(scratch, outside), *row;
    json_t *rows = json_object_get(json_object_get(root, "workers"), "rows");
    size_t i;
    cr_assert_eq(json_array_size(rows), 2);
    json_array_foreach(rows, i, row)
    {
        cr_expect(json_is_null(json_object_get(row, "memory_bytes_peak")));
        cr_expect(json_is_null(json_object_get(row, "samples")));
    }
    json_decref(root);
    const char *const arguments[] = {"report", scratch, "--only", "workers", NULL};
    cr_assert_eq(run_verb(outside, cup_verb_report, arguments), 0);
    char *page = read_text_in(outside, "out");
    const char *shown = strstr(page, "tcp://10.0.0.1:4000");
    cr_assert_not_null(shown, "%s", page);
    cr_expect_null(strstr(shown + 1, "tcp://10.0.0.1:4000"), "%s", page);
    cr_expect_not_null(strstr(shown, " 0.0 % "), "not the share of the first log's threads: %s",
                       page);
    free(page);
}

/* When its task ended, the worker's process had 90 % of its limit. */
static void add_large_task(void)
{
    struct cup_r_server server = {
        .id = 1, .role = CUP_ROLE_WORKER, .address = A, .threads = 2, .memory_limit = 4000 << 10};
    struct cup_r_task_begin begin = {.task = 1,
                                     .tid = 9,
                                     .prefix = PREFIX,
                                     .server = 1,
                                     .origin = CUP_ORIGIN_DASK,
                                     .start_ns = at_second(10)};
    struct cup_r_task_end end = {
        .task = 1, .status = CUP_STATUS_FINISHED, .stop_ns = at_second(12), .rss = 3600 << 10};
    BUILDER_ADD(&builder, CUP_R_SERVER, server);
    builder_begin(&builder, &begin, "key");
    BUILDER_ADD(&builder, CUP_R_TASK_END, end);
}

static char *first_page(void)
{
    const char *const arguments[] = {"report", scratch, NULL};
    cr_assert_eq(run_verb(outside, cup_verb_report, arguments), 0);
    return read_text_in(outside, "out");
}

/* The sample has 50 %. */
Test(observed, advice_on_memory_that_only_a_task_had)
{
    uint64_t heartbeat[CUP_HV_COUNT], values[CUP_SV_COUNT];
    builder_unknown(heartbeat, CUP_HV_COUNT);
    builder_unknown(values, CUP_SV_COUNT);
    heartbeat[CUP_HV_TIME_NS] = 1;
    heartbeat[CUP_HV_RSS] = 2000 << 10;
    add_large_task();
    builder_worker(&builder, 1, 1, A, NAME);
    put_row(1, 1, (struct row){2, 4000 << 10, NONE, 1}, heartbeat);
    builder_sample(&builder, 1, 1, at_second(11), values);
    make();
    expect("peak_memory_pct", 90);
    expect("memory_utilization_pct_max", 50);
    expect_advised("memory_near_limit", "reached 90 % of its limit");
    char *page = first_page();
    cr_expect_not_null(strstr(page, "  memory         3.69 MB   peak of one worker; at most 90.0 % "
                                    "of its limit;\n"),
                       "%s", page);
    cr_expect_not_null(strstr(page, "  Dask's samples saw 2.05 MB\n"), "%s", page);
    free(page);
}

Test(observed, share_of_the_memory_limit_without_samples)
{
    add_large_task();
    make();
    expect("peak_memory_pct", 90);
    char *page = first_page();
    cr_expect_not_null(strstr(page, "of one worker, when a task began or ended; at most"), "%s",
                       page);
    cr_expect_not_null(strstr(page, "90.0 % of its limit\n"), "%s", page);
    free(page);
}

Test(observed, no_advice_on_workers_below_the_thresholds)
{
    add_full_worker(800, 0, 1);
    expect_advised("memory_near_limit", NULL);
    expect_advised("spilling", NULL);
    expect_advised("loop_stalled", NULL);
}

Test(observed, advice_on_workers_that_came_late)
{
    add_scheduler();
    add_task(10, 14);
    add_sample(1, 10, 0, 0);
    add_sample(2, 13, 0, 0);
    add_sample(3, 14, 2, 4);
    make();
    expect_advised("workers_missing", "0.2 workers were there, of 2 at most: 88 %");
}

static void leave_one_worker_without_log(void)
{
    add_scheduler();
    add_server(2, CUP_ROLE_WORKER, A);
    add_task(10, 14);
    for (uint32_t sample = 1; sample <= 2; sample++) {
        put_row(sample, 1, (struct row){4, 1000, 0, 0}, NULL);
        put_row(sample, 2, (struct row){4, 1000, 0, 0}, NULL);
        add_sample(sample, 9 + 2 * (int)sample, 2, 8);
    }
}

Test(observed, advice_on_workers_that_wrote_no_log)
{
    leave_one_worker_without_log();
    make();
    expect_advised("workers_not_profiled", "Dask's scheduler had 2 workers; 1 of them left no log");
    expect_advised("workers_not_profiled", "such as tcp://10.0.0.1:5000, so");
}

/* The worker may be one whose log is there, but not whole, or one that attach named. */
Test(observed, no_advice_on_workers_without_log_if_logs_are_not_whole)
{
    leave_one_worker_without_log();
    make();
    uint64_t *const doubts[] = {
        &profile.logs_damaged,
        &profile.logs_unreadable,
        &profile.collected.refused,
        &profile.collected.logs[CUP_PART_STOPPED],
        &profile.collected.logs[CUP_PART_LOST],
        &profile.collected.logs[CUP_PART_FULL],
        &profile.collected.logs[CUP_PART_REFUSED],
    };
    for (size_t i = 0; i < sizeof doubts / sizeof *doubts; i++) {
        *doubts[i] = 1;
        expect_advised("workers_not_profiled", NULL);
        *doubts[i] = 0;
    }
    expect_advised("workers_not_profiled", "");
}

/* Samples in a file may be of another cluster, or have addresses that the logs have not. */
Test(observed, no_advice_on_workers_without_log_by_samples_of_a_file)
{
    leave_one_worker_without_log();
    make();
    struct cup_observed observed = *totals.observed;
    const struct cup_observed *own = totals.observed;
    observed.origin = CUP_SAMPLES_FILE;
    totals.observed = &observed;
    expect_advised("workers_not_profiled", NULL);
    totals.observed = own;
}

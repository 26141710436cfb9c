/* Logs of hosts whose clocks differ by minutes. */
#include <criterion/criterion.h>

#include <stdlib.h>
#include <string.h>

#include "analysis/metrics/metrics.h"
#include "analysis/report/page/warnings.h"
#include "include/log_pairs.h"
#include "tests/analysis/fixture.h"

TestSuite(clocks, .init = start_fixture, .fini = end_fixture);

/* ---- logs -------------------------------------------------------------------------------- */

static const double minutes = 300; /* that a clock is ahead */

/* AHEAD seconds; negative: behind; NAN: not known. */
static void add_sample(double second, double ahead)
{
    unsigned char tail[64];
    uint64_t values[CUP_SV_COUNT];
    for (int i = 0; i < CUP_SV_COUNT; i++)
        values[i] = CUP_UNKNOWN64;
    values[CUP_SV_WORKERS] = 1;
    if (ahead < 0)
        values[CUP_SV_BEHIND_NS] = (uint64_t)(-ahead * 1e9);
    else if (!isnan(ahead))
        values[CUP_SV_AHEAD_NS] = (uint64_t)(ahead * 1e9);
    struct cup_r_sample sample = {.sample = 1, .server = 1, .time_ns = at_second(second)};
    size_t bytes = cup_pairs_known(tail, values, CUP_SV_COUNT, 0);
    memset(tail + bytes, CUP_PAIR_PADDING, 8);
    builder_record(&builder, CUP_R_SAMPLE, &sample, sizeof sample, tail, (bytes + 7) / 8 * 8);
}

static void add_task(uint32_t task, double start, double stop)
{
    struct cup_r_task_begin begin = {
        .task = task, .tid = 100, .origin = CUP_ORIGIN_DASK, .start_ns = at_second(start)};
    struct cup_r_item item = {.task = task, .kind = CUP_ITEM_WORK, .entry_stop = 10};
    struct cup_r_chunk chunk = {
        .task = task, .tic_ns = at_second(start + 0.25), .toc_ns = at_second(stop - 0.25)};
    struct cup_r_task_end end = {.task = task,
                                 .status = CUP_STATUS_FINISHED,
                                 .stop_ns = at_second(stop),
                                 .cpu_ns = 500000000};
    char key[96];
    snprintf(key, sizeof key, "%s-%u", builder_header(&builder)->host, task);
    builder_begin(&builder, &begin, key);
    BUILDER_ADD(&builder, CUP_R_ITEM, item);
    BUILDER_ADD(&builder, CUP_R_CHUNK, chunk);
    BUILDER_ADD(&builder, CUP_R_TASK_END, end);
}

static void on_host(const char *host, uint32_t pid)
{
    struct cup_log_header *header = builder_header(&builder);
    memset(header->host, 0, sizeof header->host);
    strcpy(header->host, host);
    header->pid = pid;
    header->process_start_ns = at_second(1);
    header->log_start_ns = at_second(1);
    header->log_stop_ns = at_second(30);
    struct cup_r_server server = {.id = 1, .role = CUP_ROLE_WORKER};
    BUILDER_ADD(&builder, CUP_R_SERVER, server);
}

static void shift_header(double seconds)
{
    struct cup_log_header *header = builder_header(&builder);
    header->process_start_ns += (int64_t)(seconds * 1e9);
    header->log_start_ns += (int64_t)(seconds * 1e9);
    header->log_stop_ns += (int64_t)(seconds * 1e9);
}

static void save(const char *name)
{
    builder_finish(&builder);
    save_log(&builder, scratch, name);
    builder_free(&builder);
    builder_start(&builder);
}

/* Two workers: tasks at 10 to 12 s and 20 to 21 s here, at 11 to 13 s and 22 to 24 s there, where
 * the clock is AHEAD. TOLD: what its samples say of it, NAN for none. */
static void save_workers(double ahead, const double *told, size_t count)
{
    on_host("here", 1);
    add_sample(2, -0.0002);
    add_task(1, 10, 12);
    add_task(2, 20, 21);
    save("a.cup");
    on_host("there", 2);
    shift_header(ahead);
    for (size_t i = 0; i < count; i++)
        add_sample(2 + ahead, told[i]);
    add_task(1, 11 + ahead, 13 + ahead);
    add_task(2, 22 + ahead, 24 + ahead);
    save("b.cup");
}

/* Two calls, at 9 to 14 s and 19 to 25 s. */
static void save_client(const char *host, double ahead)
{
    on_host(host, 3);
    shift_header(ahead);
    for (uint32_t i = 1; i <= 2; i++) {
        struct cup_r_run run = {.run = i,
                                .start_ns = at_second((i == 1 ? 9 : 19) + ahead),
                                .stop_ns = at_second((i == 1 ? 14 : 25) + ahead)};
        BUILDER_ADD(&builder, CUP_R_RUN, run);
    }
    builder_header(&builder)->health[CUP_H_RUNS] = 2;
    save("c.cup");
}

static void load(unsigned run)
{
    const struct cup_load_options options = {.counters = true, .run = run};
    load_fixture(&options);
}

static void expect(const char *name, double expected)
{
    double value = cup_number(named_metric(&totals, "workflow", name));
    cr_expect_float_eq(value, expected, 1e-6, "%s is %.17g, not %.17g", name, value, expected);
}

static bool warns_of(const char *part)
{
    struct cup_warning warnings[CUP_WARNINGS_MOST];
    size_t count = cup_warnings_make(&totals, warnings);
    for (size_t i = 0; i < count; i++)
        if (strstr(warnings[i].text, part))
            return true;
    return false;
}

/* ---- what Dask measured ------------------------------------------------------------------ */

Test(clocks, of_another_host_are_brought_to_the_schedulers)
{
    save_workers(minutes, (const double[]){minutes}, 1);
    load(0);
    expect("t_start", 1700000010);
    expect("wall_time", 14);
    expect("process_s", 14);
    expect("total_task_time", 2 + 1 + 2 + 2);
    expect("total_cpu_time", 1.5 + 0.5 + 1.5 + 1.5);
    cr_expect_eq(profile.processes[1].header.log_start_ns, at_second(1));
    cr_expect_eq(profile.processes[1].header.log_stop_ns, at_second(30));
    cr_expect_eq(profile.samples[1].time_ns, at_second(2));
    cr_expect_eq(profile.items[2].tic_ns, at_second(11.25));
    cr_expect(warns_of("there is 5 min"));
    cr_expect_not(warns_of("not compared"));
}

Test(clocks, that_are_behind)
{
    save_workers(-minutes, (const double[]){-minutes}, 1);
    load(0);
    expect("wall_time", 14);
    cr_expect_eq(profile.processes[1].clock.ahead_ns, -INT64_C(300000000000));
    cr_expect(warns_of("behind"));
}

/* One heartbeat that took seconds is no measure of the others. */
Test(clocks, are_what_most_heartbeats_say)
{
    double told[41];
    for (int i = 0; i < 41; i++)
        told[i] = minutes + 0.001 * (i - 20);
    told[3] = minutes + 7;
    save_workers(minutes, told, 41);
    load(0);
    cr_expect_float_eq((double)profile.processes[1].clock.ahead_ns / 1e9, minutes, 0.0011);
    cr_expect_float_eq((double)profile.processes[1].clock.error_ns / 1e9, 0.018, 0.0011);
    expect("num_chunks", 4);
}

Test(clocks, that_hardly_differ_are_left_alone)
{
    save_workers(0.09, (const double[]){0.09}, 1);
    load(0);
    cr_expect_eq(profile.processes[1].clock.shift_ns, 0);
    cr_expect_eq(profile.tasks[2].start_ns, at_second(11.09));
    cr_expect_not(warns_of("Clocks"));
}

/* Nothing is better known than to half a second. */
Test(clocks, that_are_not_known_well_enough_are_left_alone)
{
    save_workers(0, (const double[]){-0.6, 0.2, 0.7}, 3);
    load(0);
    cr_expect_eq(profile.processes[1].clock.ahead_ns, 200000000);
    cr_expect_eq(profile.processes[1].clock.error_ns, 650000000);
    cr_expect_eq(profile.processes[1].clock.shift_ns, 0);
}

/* ---- hosts ------------------------------------------------------------------------------- */

Test(clocks, all_processes_of_a_host_share_it)
{
    save_workers(minutes, (const double[]){minutes}, 1);
    save_client("there", minutes);
    load(0);
    cr_expect_eq(profile.processes[2].clock.shift_ns, -INT64_C(300000000000));
    cr_expect(profile.runs[0].compared);
    expect("t_start", 1700000019);
    expect("wall_time", 6);
    expect("num_chunks", 2);
}

/* As machines in containers often are. */
Test(clocks, of_machines_of_one_name_stand_for_themselves)
{
    on_host("node", 1);
    add_sample(2, 0.0001);
    add_task(1, 10, 12);
    save("a.cup");
    on_host("node", 2);
    add_sample(2 + minutes, minutes);
    add_task(2, 11 + minutes, 13 + minutes);
    save("b.cup");
    load(0);
    expect("wall_time", 3);
    cr_expect_eq(profile.processes[0].clock.shift_ns, 0);
}

/* ---- runs -------------------------------------------------------------------------------- */

Test(clocks, tasks_of_a_run_are_told_by_the_right_time)
{
    save_workers(minutes, (const double[]){minutes}, 1);
    save_client("here", 0);
    load(1);
    expect("num_chunks", 2);
    expect("t_start", 1700000009);
    expect("wall_time", 5);
    cr_expect_eq(totals.all.tasks, 2);
    cr_expect_eq(profile.tasks_skipped, 2);
}

/* ---- what is not known ------------------------------------------------------------------- */

Test(clocks, without_samples_are_not_compared)
{
    save_workers(minutes, NULL, 0);
    load(0);
    expect("wall_time", minutes + 14);
    cr_expect_not(profile.processes[1].clock.compared);
    cr_expect(warns_of("Clocks of 1 host could not be compared (there"));
}

/* A worker learns of the difference with its first heartbeats, and samples are taken once a second:
 * a log is not read to its end for what it does not have. */
static void expect_compared(size_t without, bool compared)
{
    double ahead[300];
    for (size_t i = 0; i < without; i++)
        ahead[i] = (double)NAN;
    ahead[without] = minutes;
    save_workers(minutes, ahead, without + 1);
    load(0);
    cr_expect_eq(profile.processes[1].clock.measured, compared, "after %zu samples", without);
}

Test(clocks, are_compared_by_late_heartbeats)
{
    expect_compared(90, true);
}

Test(clocks, are_not_compared_by_heartbeats_that_never_come)
{
    expect_compared(200, false);
}

Test(clocks, of_one_host_need_no_samples)
{
    on_host("here", 1);
    add_task(1, 10, 12);
    save("a.cup");
    load(0);
    cr_expect(profile.processes[0].clock.compared);
    cr_expect_not(warns_of("Clocks"));
}

/* The call of a client that is minutes off tells nothing of when its tasks began. */
Test(clocks, of_a_client_that_are_not_compared_are_not_mixed_with_the_others)
{
    save_workers(0, (const double[]){0.0001}, 1);
    on_host("laptop", 3);
    struct cup_r_run run = {
        .run = 1, .start_ns = at_second(9 + minutes), .stop_ns = at_second(25 + minutes)};
    BUILDER_ADD(&builder, CUP_R_RUN, run);
    builder_header(&builder)->health[CUP_H_RUNS] = 1;
    save("c.cup");
    load(0);
    expect("wall_time", 14);
    cr_expect(cup_metric_number(CUP_METRIC_merge_s, &totals) < 14);
    cr_expect(isnan(cup_metric_number(CUP_METRIC_graph_s, &totals)));
    cr_expect(totals.call_left_out);
    cr_expect(warns_of("The clock of the Runner call is not that of its tasks"));
}

/* ---- the report -------------------------------------------------------------------------- */

Test(clocks, are_told_of_each_process)
{
    save_workers(minutes, (const double[]){minutes}, 1);
    json_t *report = report_json(scratch, outside);
    json_t *rows = json_object_get(json_object_get(report, "health"), "processes");
    json_t *there = json_array_get(rows, 1);
    cr_expect_eq(json_number_value(json_object_get(there, "clock_offset_s")), 300);
    cr_expect_eq(json_number_value(json_object_get(there, "clock_shift_s")), -300);
    cr_expect_eq(json_number_value(json_object_get(there, "clock_error_s")), 0);
    cr_expect(json_is_true(json_object_get(there, "clock_compared")));
    json_decref(report);
}

/* Runs side by side: figures of three kinds of input, changes, what differs, complaints. */
#include <criterion/criterion.h>

#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/compare/compare.h"
#include "analysis/compare/inputs.h"
#include "analysis/compare/json_file.h"
#include "cli/verbs.h"
#include "tests/analysis/support.h"

static char scratch[SUPPORT_PATH]; /* the golden profile */
static char other[SUPPORT_PATH];   /* whatever it is compared with */
static char outside[SUPPORT_PATH]; /* what the verbs write */
static char file_path[2 * SUPPORT_PATH];
static struct cup_figures inputs[3];
static size_t opened;

static void set_up(void)
{
    struct log_builder builder;
    make_scratch(scratch);
    make_scratch(other);
    make_scratch(outside);
    build_golden_log(&builder);
    save_log(&builder, scratch, "a.cup");
    builder_free(&builder);
    snprintf(file_path, sizeof file_path, "%s/file.json", outside);
    opened = 0;
}

static void tear_down(void)
{
    for (size_t i = 0; i < opened; i++)
        cup_figures_free(&inputs[i]);
    remove_scratch(scratch);
    remove_scratch(other);
    remove_scratch(outside);
}

TestSuite(compare, .init = set_up, .fini = tear_down);

static void write_text(const char *directory, const char *name, const char *text)
{
    char path[2 * SUPPORT_PATH];
    snprintf(path, sizeof path, "%s/%s", directory, name);
    FILE *file = fopen(path, "w");
    cr_assert(file);
    fputs(text, file);
    fclose(file);
}

static struct cup_figures *open_input(const char *word)
{
    struct cup_error error;
    bool usage = false;
    cr_assert_eq(cup_input_open(&inputs[opened], word, NULL, &usage, &error), 0, "%s", error.text);
    return &inputs[opened++];
}

#define COMPARE(...)                                                                               \
    run_verb(outside, cup_verb_compare, (const char *const[]){"compare", __VA_ARGS__, NULL})
#define REPORT(...)                                                                                \
    run_verb(outside, cup_verb_report, (const char *const[]){"report", __VA_ARGS__, NULL})

static void expect_text(const char *name, const char *part)
{
    char *text = read_text_in(outside, name);
    cr_expect_not_null(strstr(text, part), "no %s in\n%s", part, text);
    free(text);
}

static void expect_complaint(int status, int expected, const char *part)
{
    char *text = read_text_in(outside, "err");
    cr_assert_eq(status, expected, "%d: %s", status, text);
    cr_assert_not_null(strstr(text, part), "%s", text);
    cr_assert_eq(strchr(text, '\n'), text + strlen(text) - 1, "%s", text);
    free(text);
}

static json_t *load_json(const char *name)
{
    char *text = read_text_in(outside, name);
    json_error_t error;
    json_t *root = json_loads(text, JSON_REJECT_DUPLICATES, &error);
    cr_assert_not_null(root, "%s at line %d: %s", error.text, error.line, text);
    free(text);
    return root;
}

/* ---- a saved report --------------------------------------------------------------------- */

static uint64_t losses_of(const json_t *report)
{
    cr_assert_eq(json_dump_file(report, file_path, 0), 0);
    return open_input(file_path)->losses;
}

/* One worker replaced another: both have rows. */
Test(compare, a_saved_report_has_the_workers_of_one_time)
{
    json_t *report = report_json(scratch, outside);
    json_t *rows = json_object_get(json_object_get(report, "workers"), "rows");
    json_array_append(rows, json_array_get(rows, 0));
    cr_assert_eq(json_array_size(rows), 2);
    cr_assert_eq(json_dump_file(report, file_path, 0), 0);
    cr_expect_eq(open_input(scratch)->workers, 1);
    cr_expect_eq(open_input(file_path)->workers, 1);
    json_decref(report);
}

Test(compare, a_saved_report_has_all_kinds_of_losses)
{
    json_t *report = report_json(scratch, outside), *losses = json_object_get(report, "losses");
    cr_expect_eq(losses_of(report), 0);
    json_object_set_new(losses, "chunks_lost", json_integer(1));
    json_object_set_new(losses, "chunks_skipped", json_integer(2));
    json_object_set_new(losses, "chunks_unfinished", json_integer(4));
    json_object_set_new(losses, "chunks_recovered", json_integer(8));
    cr_expect_eq(losses_of(report), 7);
    json_object_del(losses, "chunks_unfinished");
    cr_expect_eq(losses_of(report), CUP_UNKNOWN64);
    json_decref(report);
}

/* ---- a measurement of roastcoffea ------------------------------------------------------- */

static const char measurement[] =
    "{\"data_rate_gbps\": 0.5, \"total_events\": 5000, \"event_rate_elapsed_khz\": 0.8,"
    " \"event_rate_cpu_total_khz\": 0.4, \"elapsed_time_seconds\": 6.0, \"total_cpu_time\": 12.5,"
    " \"num_chunks\": 3, \"avg_cpu_time_per_chunk\": NaN, \"total_bytes_read\": 800,"
    " \"avg_workers\": 2.0, \"peak_workers\": 2, \"total_cores\": null, \"cores_per_worker\": 1.0,"
    " \"core_efficiency\": null, \"event_rate_core_khz\": 0.25, \"speedup_factor\": 2.0,"
    " \"processor_io_wait_time_seconds\": 3.5, \"total_bytes_memory_read\": 77,"
    " \"compression_time_seconds\": 0.25, \"num_failed_chunks\": 0, \"chunk_duration_mean\": 2.5,"
    " \"chunk_mem_delta_max_mb\": 2.0,"
    " \"per_dataset\": {\"TTbar\": {\"num_chunks\": 1, \"total_duration\": 4.5, \"total_events\": "
    "3000}},"
    " \"file_metadata\": {\"/data/a.root\": {\"compression_ratio\": 0.5, \"total_tree_bytes\": "
    "100}, \"/data/c.root\": {\"compression_ratio\": 0.75, \"total_tree_bytes\": 300}},"
    " \"tracking_data\": {\"worker_counts\": {\"2026-01-01T00:00:00\": Infinity}},"
    " \"raw_chunk_metrics\": [{\"t_start\": 1.0}]}";

static void make_measurement(void)
{
    write_text(other, "metrics.json", measurement);
    write_text(other, "start_end_time.txt", "1368.005502859,1374.005502859\n");
    write_text(other, "metadata.json", "{\"format\": \"roastcoffea_measurement_v1\"}");
}

static void expect_figure(const struct cup_figures *figures, const char *section, const char *name,
                          double expected)
{
    const struct cup_run_figure *figure = cup_figures_find_named(figures, section, name);
    double value = figure ? cup_number(figure->value) : NAN;
    cr_expect(fabs(value - expected) <= 1e-12 * fmax(1, fabs(expected)),
              "%s.%s is %.17g, not %.17g", section, name, value, expected);
}

static void expect_unknown(const struct cup_figures *figures, const char *section, const char *name,
                           const char *reason)
{
    const struct cup_run_figure *figure = cup_figures_find_named(figures, section, name);
    cr_assert_not_null(figure, "%s", name);
    cr_expect_eq(figure->value.kind, CUP_VALUE_NULL, "%s", name);
    cr_expect_not_null(strstr(figure->source, reason), "%s: %s", name, figure->source);
}

Test(compare, a_measurement_of_roastcoffea_in_our_names_and_units)
{
    make_measurement();
    const struct cup_figures *it = open_input(other);
    cr_assert_eq(it->kind, CUP_INPUT_ROASTCOFFEA);
    expect_figure(it, "workflow", "wall_time", 6);
    expect_figure(it, "workflow", "requested_rate_gbps", 0.5);
    expect_figure(it, "workflow", "requested_rate_mbs", 62.5);
    expect_figure(it, "workflow", "total_bytes_read_coffea", 800);
    expect_figure(it, "workflow", "total_events", 5000);
    expect_figure(it, "workflow", "event_rate_wall_khz", 0.8);
    expect_figure(it, "workflow", "event_rate_agg_khz", 0.4);
    expect_figure(it, "workflow", "event_rate_core_hz", 250);
    expect_figure(it, "workflow", "total_bytes_memory_read_dask", 77);
    expect_figure(it, "workflow", "compression_ratio", (100 / 0.5 + 300 / 0.75) / 400);
    expect_figure(it, "workers", "avg_workers", 2);
    expect_figure(it, "efficiency", "efficiency_ratio", 2);
    expect_figure(it, "fine", "processor_noncpu_time_seconds", 3.5);
    expect_figure(it, "fine", "compress_s", 0.25);
    expect_figure(it, "chunks", "process_s_mean", 2.5);
    expect_figure(it, "chunks", "memory_delta_bytes_max", 2097152);
    expect_unknown(it, "workflow", "avg_cpu_time_per_chunk", "is not a number");
    expect_unknown(it, "workers", "total_cores", "is not a number");
    expect_unknown(it, "workflow", "total_bytes_read", "has no such figure");
    expect_unknown(it, "workflow", "t_start", "no times of day");
    cr_expect_eq(it->file_count, 2);
    cr_expect_eq(it->workers, 2);
}

Test(compare, times_of_day_are_taken_where_a_measurement_has_them)
{
    make_measurement();
    write_text(other, "start_end_time.txt", "1700000010.5,1700000016.5\n");
    const struct cup_figures *it = open_input(other);
    expect_figure(it, "workflow", "t_start", 1700000010.5);
    expect_figure(it, "workflow", "t_stop", 1700000016.5);
}

Test(compare, losses_of_a_measurement_cannot_be_judged)
{
    make_measurement();
    expect_complaint(COMPARE(scratch, other, "--fail-on", "losses"), 2,
                     "--fail-on losses: B does not say how many chunks and files are missing");
    cr_expect_eq(COMPARE(scratch, other, "--fail-on", "incomplete"), 0);
}

Test(compare, the_report_of_a_measurement)
{
    make_measurement();
    cr_assert_eq(REPORT(other), 0);
    expect_text("out", "roastcoffea's measurement");
    expect_text("out", "requested_rate_gbps");
    expect_text("out", "500 Mbit/s");
    expect_text("out", "has no such figure");
    cr_assert_eq(REPORT(other, "--only", "tasks"), 0);
    expect_text("out", "tasks is n/a");
    cr_assert_eq(REPORT(other, "--json", "-"), 0);
    json_t *root = load_json("out"), *workflow = json_object_get(root, "workflow");
    cr_assert_str_eq(json_string_value(json_object_get(root, "format")), "cupping-report");
    cr_assert_eq(json_real_value(json_object_get(workflow, "requested_rate_gbps")), 0.5);
    cr_assert(json_is_null(json_object_get(workflow, "total_bytes_read")));
    const char *source = json_string_value(json_object_get(
        json_object_get(json_object_get(root, "sources"), "workflow"), "requested_rate_gbps"));
    cr_assert(strncmp(source, "roastcoffea's measurement: data_rate_gbps", 41) == 0, "%s", source);
    const json_t *rows = json_object_get(json_object_get(root, "datasets"), "rows");
    cr_assert_eq(json_integer_value(json_object_get(json_array_get(rows, 0), "events")), 3000);
    json_decref(root);
    cr_assert_eq(REPORT(other, "--json", file_path), 0);
    expect_figure(open_input(file_path), "workflow", "requested_rate_gbps", 0.5);
}

Test(compare, measurements_that_are_none)
{
    make_measurement();
    write_text(other, "metadata.json", "{\"format\": \"roastcoffea_measurement_v2\"}");
    expect_complaint(REPORT(other), 1, "format roastcoffea_measurement_v2");
    make_measurement();
    write_text(other, "metrics.json", "{\"total_events\": 50");
    expect_complaint(REPORT(other), 1, "is not JSON");
    write_text(other, "metrics.json", "[]");
    expect_complaint(COMPARE(scratch, other), 1, "no JSON object");
    make_measurement();
    expect_complaint(REPORT(other, "--span", "x"), 2, "no spans");
    expect_complaint(REPORT(other, "--run", "2"), 2, "one run");
}

/* ---- saved reports ---------------------------------------------------------------------- */

/* Every figure of the profile is in its report, with the same value and the same unit. */
Test(compare, a_saved_report_holds_the_same_figures)
{
    cr_assert_eq(REPORT(scratch, "--json", file_path), 0);
    const struct cup_figures *saved, *live = open_input(scratch);
    saved = open_input(file_path);
    struct cup_comparison comparison;
    cr_assert_eq(cup_comparison_make(&comparison, inputs, 2, 0), 0);
    cr_expect_eq(comparison.difference_count, 0);
    cr_expect(comparison.same_work);
    size_t known = 0;
    for (size_t i = 0; i < comparison.count; i++) {
        const struct cup_compared *row = &comparison.rows[i];
        double a = cup_number(cup_compared_value(row, 0));
        double b = cup_number(cup_compared_value(row, 1));
        cr_expect(row->figures[0] && row->figures[1], "%s.%s", row->section, row->name);
        cr_expect((isnan(a) && isnan(b)) || fabs(a - b) <= 1e-9 * fabs(a), "%s.%s: %.17g, %.17g",
                  row->section, row->name, a, b);
        cr_expect_eq(cup_change_of(&comparison, row, 1).verdict, CUP_VERDICT_NONE);
        known += !isnan(a);
    }
    cr_expect_gt(known, 100);
    cr_expect_eq(saved->file_count, live->file_count);
    cr_expect_eq(live->file_count, 2);
    cr_expect_str_eq(cup_figures_fact(saved, "python"), "3.11.7");
    cup_comparison_free(&comparison);
}

Test(compare, only_what_is_wanted_of_json_is_read)
{
    static const struct cup_json_unwanted unwanted[] = {{NULL, "big"}, {"chunks", "rows"}};
    struct cup_error error;
    write_text(outside, "file.json",
               "{ \"big\" : {\"a\": [1, \"]}\\\"\", NaN]}, \"chunks\":{\"rows\": [[1],[2]], "
               "\"count\": 2, \"x\": NaN}, \"rows\": [-Infinity, 1], \"text\": \"NaN\"}");
    json_t *root = cup_json_file_read(file_path, unwanted, 2, NULL, &error);
    cr_assert_not_null(root, "%s", error.text);
    cr_expect(json_is_null(json_object_get(root, "big")));
    const json_t *chunks = json_object_get(root, "chunks");
    cr_expect(json_is_null(json_object_get(chunks, "rows")));
    cr_expect_eq(json_integer_value(json_object_get(chunks, "count")), 2);
    cr_expect_eq(cup_json_number(json_object_get(chunks, "x")).kind, CUP_VALUE_NULL);
    cr_expect_eq(json_array_size(json_object_get(root, "rows")), 2);
    cr_expect_str_eq(json_string_value(json_object_get(root, "text")), "NaN");
    json_decref(root);
}

/* ---- changes ---------------------------------------------------------------------------- */

static const json_t *figure_named(const json_t *root, const char *section, const char *name)
{
    const json_t *figures = json_object_get(root, "figures");
    for (size_t i = 0; i < json_array_size(figures); i++) {
        const json_t *figure = json_array_get(figures, i);
        if (strcmp(json_string_value(json_object_get(figure, "name")), name) == 0 &&
            strcmp(json_string_value(json_object_get(figure, "section")), section) == 0)
            return figure;
    }
    cr_assert_fail("no %s.%s", section, name);
    return NULL;
}

static const json_t *second(const json_t *figure, const char *list)
{
    return json_array_get(json_object_get(figure, list), 1);
}

static void expect_change(const json_t *figure, double by, double relative, const char *verdict)
{
    const char *name = json_string_value(json_object_get(figure, "name"));
    const char *told = json_string_value(second(figure, "verdict"));
    cr_expect_float_eq(json_number_value(second(figure, "change")), by, 1e-9, "%s", name);
    cr_expect_float_eq(json_number_value(second(figure, "relative_change")), relative, 1e-9, "%s",
                       name);
    cr_expect_str_eq(told ? told : "", verdict, "%s", name);
}

/* The golden run took 12 s for its 5,000 events, of which 8 s inside process(). It has too few
 * chunks to show how much its times vary: only counts are judged. */
Test(compare, changes_by_hand)
{
    make_measurement();
    cr_assert_eq(COMPARE(scratch, other, "--json", "-"), 0);
    json_t *root = load_json("out");
    cr_assert(json_is_true(json_object_get(root, "same_work")));
    expect_change(figure_named(root, "workflow", "wall_time"), -6, -0.5, "");
    expect_change(figure_named(root, "workflow", "total_cpu_time"), 4.5, 4.5 / 8, "");
    expect_change(figure_named(root, "workflow", "num_failed_chunks"), -1, -1, "better");
    expect_change(figure_named(root, "efficiency", "speedup_factor"), 2 - 8.0 / 12,
                  (2 - 8.0 / 12) / (8.0 / 12), "");
    const json_t *missing = figure_named(root, "workflow", "total_bytes_read");
    cr_expect(json_is_null(second(missing, "values")));
    cr_expect(json_is_null(second(missing, "change")));
    cr_expect_str_eq(json_string_value(second(missing, "sources")),
                     "roastcoffea's measurement has no such figure");
    json_decref(root);
    cr_assert_eq(COMPARE(scratch, other), 0);
    expect_text("out", "-100.0 %  better");
    expect_text("out", "files: A 2; B 2 (1 missing, 1 added, 0 of another "
                       "size; for example b.root)");
    expect_text("out", "datasets: A TTbar, ZToMuMu; B TTbar");
}

/* Another number of events: what grows with the work is not judged, rates are. */
Test(compare, sums_are_judged_only_between_runs_of_the_same_work)
{
    make_measurement();
    write_text(other, "metrics.json",
               "{\"total_events\": 2500, \"elapsed_time_seconds\": 6.0, "
               "\"event_rate_elapsed_khz\": 0.1}");
    cr_assert_eq(COMPARE(scratch, other, "--json", "-"), 0);
    json_t *root = load_json("out");
    cr_assert(json_is_false(json_object_get(root, "same_work")));
    expect_change(figure_named(root, "workflow", "wall_time"), -6, -0.5, "");
    expect_change(figure_named(root, "workflow", "event_rate_wall_khz"), 0.1 - 5.0 / 12,
                  (0.1 - 5.0 / 12) / (5.0 / 12), "");
    json_decref(root);
    cr_assert_eq(COMPARE(scratch, other), 0);
    expect_text("out", "events: A 5,000; B 2,500");
    expect_text("out", "Not the same number of events");
}

Test(compare, against_another_baseline)
{
    make_measurement();
    cr_assert_eq(COMPARE(scratch, other, "--baseline", "B", "--json", "-"), 0);
    json_t *root = load_json("out");
    const json_t *wall = figure_named(root, "workflow", "wall_time");
    cr_expect_eq(json_number_value(json_array_get(json_object_get(wall, "change"), 0)), 6);
    cr_expect(json_is_null(second(wall, "change")));
    json_decref(root);
    cr_assert_eq(COMPARE(scratch, other, "--baseline", other), 0);
    expect_complaint(COMPARE(scratch, other, "--baseline", "C"), 2, "--baseline C");
}

/* A worker more in other versions, with no run of Coffea's: nothing is divided by nothing. */
Test(compare, an_empty_run_is_compared_too)
{
    struct log_builder builder;
    builder_start(&builder);
    builder_finish(&builder);
    save_log(&builder, other, "a.cup");
    builder_free(&builder);
    cr_assert_eq(COMPARE(other, scratch), 0);
    cr_assert_eq(COMPARE(scratch, other), 0);
    expect_text("out", "n/a");
    char *text = read_text_in(outside, "out");
    cr_expect_null(strstr(text, "nan "));
    cr_expect_null(strstr(text, "inf "));
    free(text);
    cr_assert_eq(COMPARE(other, other, "--json", "-"), 0);
    json_decref(load_json("out")); /* would not take NaN */
    cr_assert_eq(COMPARE(other, "--target", "200Gbps"), 0);
    expect_text("out", "no chunk ended whose result");
}

Test(compare, versions_that_differ_are_told)
{
    struct log_builder builder;
    const struct cup_r_info info = {.name = 13, .value = 90}; /* "python" of the golden run */
    build_golden_log(&builder);
    builder_string(&builder, 90, "3.13.0");
    BUILDER_ADD(&builder, CUP_R_INFO, info);
    builder_finish(&builder);
    save_log(&builder, other, "a.cup");
    builder_free(&builder);
    cr_assert_eq(COMPARE(scratch, other, "--only", "inputs"), 0);
    expect_text("out", "python: A 3.11.7; B 3.11.7 + 3.13.0");
}

Test(compare, tables_of_three_for_people_and_as_csv)
{
    make_measurement();
    setenv("COLUMNS", "120", 1);
    cr_assert_eq(COMPARE(scratch, other, scratch, "--only", "workflow"), 0);
    unsetenv("COLUMNS");
    expect_text("out", "-100.0 % b");
    expect_text("out", "b: better, w: worse");
    cr_assert_eq(COMPARE(scratch, other, "--csv", "-", "--only", "workers"), 0);
    expect_text("out",
                "section,row,name,input,path,value,change,relative_change,verdict,source,noise,"
                "deviation\r\n");
    expect_text("out", "workers,,cores_per_worker,B,");
}

/* ---- scaling, runs, complaints ---------------------------------------------------------- */

Test(compare, scaling_efficiency_is_a_figure)
{
    make_measurement();
    cr_assert_eq(COMPARE(scratch, other, "--json", "-"), 0);
    json_t *root = load_json("out");
    const json_t *figure = figure_named(root, "efficiency", "scaling_efficiency");
    /* One worker and 5/12 kHz, then two and 0.8 kHz; cores are not known in the second. */
    cr_expect_eq(json_number_value(json_array_get(json_object_get(figure, "values"), 0)), 1);
    cr_expect_float_eq(json_number_value(second(figure, "values")), 0.8 / (5.0 / 12 * 2), 1e-9);
    json_decref(root);
}

Test(compare, a_run_of_a_profile_by_its_name)
{
    struct log_builder client;
    char first[SUPPORT_PATH + 8], last[SUPPORT_PATH + 8], third[SUPPORT_PATH + 8];
    builder_start(&client);
    for (uint32_t i = 0; i < 2; i++) {
        struct cup_r_run run = {
            .run = i + 1, .start_ns = at_second(i ? 18.5 : 9), .stop_ns = at_second(i ? 30 : 18.1)};
        BUILDER_ADD(&client, CUP_R_RUN, run);
        builder_header(&client)->health[CUP_H_RUNS]++;
    }
    builder_finish(&client);
    save_log(&client, scratch, "b.cup");
    builder_free(&client);
    snprintf(first, sizeof first, "%s:1", scratch);
    snprintf(last, sizeof last, "%s:all", scratch);
    snprintf(third, sizeof third, "%s:3", scratch);
    expect_figure(open_input(first), "workflow", "num_chunks", 2);
    expect_figure(open_input(scratch), "workflow", "num_chunks", 1);
    expect_figure(open_input(last), "workflow", "num_chunks", 3);
    expect_complaint(COMPARE(first, third), 2, "it holds 2 runs");
    expect_complaint(COMPARE(scratch, "--run", "0"), 2, "--run 0");
}

Test(compare, complaints_are_one_line)
{
    static const char *many[30] = {"compare"};
    expect_complaint(COMPARE(scratch, "/nowhere"), 1, "/nowhere");
    expect_complaint(COMPARE(scratch, scratch, "--only", "nothing"), 2, "--only nothing");
    expect_complaint(COMPARE(scratch, "--only", "workflow"), 2, "needs two");
    expect_complaint(COMPARE(scratch, "--target", "fast"), 2, "--target fast");
    expect_complaint(COMPARE(scratch, scratch, "--json", "x", "--csv", "x"), 2,
                     "--csv and --json both write x; name two files");
    write_text(outside, "file.json", "{\"format\": \"other\"}");
    expect_complaint(COMPARE(scratch, file_path), 1, "is not a report");
    write_text(outside, "file.json", "{\"format\": \"cupping-report\", \"version\": 2}");
    expect_complaint(COMPARE(scratch, file_path), 1, "version 2");
    write_text(outside, "file.json", "{\"format\": \"cupping-report\", \"ver");
    expect_complaint(COMPARE(scratch, file_path), 1, "is not JSON");
    for (int i = 1; i < 29; i++)
        many[i] = scratch;
    expect_complaint(run_verb(outside, cup_verb_compare, many), 2, "too many");
}

/* ---- what is not known -------------------------------------------------------------------- */

static void expect_verdict(const struct cup_comparison *comparison, const char *part, bool there)
{
    char verdict[CUP_VERDICT_TEXT];
    cup_compare_verdict(verdict, comparison, 1);
    cr_expect_eq(strstr(verdict, part) != NULL, there, "%s", verdict);
}

Test(compare, the_verdict_says_that_a_run_is_perhaps_not_complete)
{
    struct cup_comparison comparison;
    open_input(scratch);
    open_input(scratch);
    inputs[1].state = CUP_RUN_UNKNOWN;
    inputs[1].completeness = "It is not known.";
    cr_assert_eq(cup_comparison_make(&comparison, inputs, 2, 0), 0);
    expect_verdict(&comparison, "B: It is not known.", false); /* nor what it was to do */
    cup_figures_set(&inputs[1], CUP_METRIC_planned_chunks, cup_count(5), "");
    expect_verdict(&comparison, "B: It is not known.", true);
    cup_figures_set(&inputs[1], CUP_METRIC_planned_chunks, cup_null(), "");
    inputs[1].completeness = "It is not known: another run went on at the same time.";
    expect_verdict(&comparison, "B: It is not known: another run", true);
    cup_comparison_free(&comparison);
}

Test(compare, the_verdict_needs_the_threads_of_both_to_compare_their_time)
{
    struct cup_comparison comparison;
    open_input(scratch);
    open_input(scratch);
    cup_figures_set(&inputs[1], CUP_METRIC_wall_time, cup_real(24), "");
    cup_figures_set(&inputs[1], CUP_METRIC_task_cpu_s, cup_real(30), "");
    cr_assert_eq(cup_comparison_make(&comparison, inputs, 2, 0), 0);
    for (size_t i = 0; i < comparison.setting_count; i++)
        comparison.settings[i].texts[0] = comparison.settings[i].texts[1] = "1";
    expect_verdict(&comparison, "more CPU in tasks", true);
    for (size_t i = 0; i < comparison.setting_count; i++)
        if (strcmp(comparison.settings[i].what, "workers") == 0)
            comparison.settings[i].texts[1] = NULL;
    expect_verdict(&comparison, "more CPU in tasks", false);
    cup_comparison_free(&comparison);
}

Test(compare, bytes_that_vary_by_chance_are_not_judged_by_one_run)
{
    static const char *const names[][2] = {
        {"fine", "memory_read_bytes"}, {"efficiency", "wasted_bytes"}, {"workflow", "num_chunks"}};
    const struct cup_figures *figures = open_input(scratch);
    for (int i = 0; i < 3; i++) {
        const struct cup_run_figure figure = {
            .section = names[i][0], .row = "", .name = names[i][1], .unit = CUP_UNIT_BYTES};
        cr_expect_eq(isnan(cup_figure_noise(figures, &figure)) != 0, i < 2, "%s", names[i][1]);
    }
}

Test(compare, a_file_of_unknown_size_has_no_size)
{
    struct cup_profile profile;
    struct cup_totals totals;
    struct cup_figures figures = {0};
    load_golden(&profile);
    for (size_t i = 0; i < profile.file_count; i++) {
        profile.files[i].flags |= CUP_FILE_IS_REMOTE;
        profile.files[i].size = 0;
    }
    cr_assert_eq(cup_totals_make(&totals, &profile), 0);
    cup_figures_from_totals(&figures, &totals);
    cr_assert_eq(figures.file_count, 2);
    cr_expect_eq(figures.files[0].size, CUP_UNKNOWN64);
    cup_figures_free(&figures);
    cup_totals_free(&totals);
    cup_profile_free(&profile);
}

/* A Coffea report that the user saved: what is read, what is refused, what it is compared with, and
 * what it stands in for. */
#include <criterion/criterion.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/metrics/dask/coffea_compare.h"
#include "analysis/metrics/metrics.h"
#include "cli/verbs.h"
#include "tests/analysis/support.h"

static char scratch[SUPPORT_PATH], outside[SUPPORT_PATH], path[2 * SUPPORT_PATH];
static struct cup_coffea_file file;
static struct cup_error error;

static void save_golden(bool with_reports)
{
    static const uint64_t entries[] = {0, 1000, 3000, 1000, 1000};
    static const uint64_t bytes[] = {0, 200, 250, 7000, 0};
    struct log_builder builder;
    build_golden_log(&builder);
    for (uint32_t task = 1; with_reports && task <= 4; task++) {
        struct cup_r_chunk_report report = {
            .task = task, .requested_bytes = bytes[task], .entries = entries[task]};
        BUILDER_ADD(&builder, CUP_R_CHUNK_REPORT, report); /* 3 erred: not counted */
    }
    builder_finish(&builder);
    save_log(&builder, scratch, "a.cup");
    builder_free(&builder);
}

static void set_up(void)
{
    make_scratch(scratch);
    make_scratch(outside);
    snprintf(path, sizeof path, "%s/coffea.json", outside);
    save_golden(true);
}

static void tear_down(void)
{
    cup_coffea_file_free(&file);
    remove_scratch(scratch);
    remove_scratch(outside);
}

TestSuite(coffea_file, .init = set_up, .fini = tear_down);

static void write_file(const char *text)
{
    FILE *stream = fopen(path, "w");
    cr_assert(stream && fputs(text, stream) >= 0 && fclose(stream) == 0);
}

static void read_text_as_file(const char *text)
{
    write_file(text);
    cr_assert_eq(cup_coffea_file_read(&file, path, &error), 0, "%s", error.text);
}

/* ---- what is read ----------------------------------------------------------------------- */

Test(coffea_file, a_report_as_json_dump_writes_it)
{
    read_text_as_file("{\"bytesread\": 450, \"columns\": [\"nMuon-data\", \"Muon_pt-data\"],"
                      " \"entries\": 5000, \"processtime\": 8.0000001, \"chunks\": 3}");
    cr_expect_eq(file.report.of[CUP_COFFEA_BYTES], 450);
    cr_expect_eq(file.report.of[CUP_COFFEA_ENTRIES], 5000);
    cr_expect_eq(file.report.of[CUP_COFFEA_CHUNKS], 3);
    cr_expect_eq(file.report.of[CUP_COFFEA_PROCESS], 8000000100);
    cr_expect_eq(json_array_size(file.columns), 2);
    cr_expect_eq(file.start_ns, 0);
    cr_expect_eq(file.ignored, 0);
    cr_expect_eq(file.dataset_count, 0);
    cr_expect_eq(file.dataset_sums.of[CUP_COFFEA_BYTES], CUP_UNKNOWN64);
}

/* default=str: numpy's numbers become texts, and a set what str() makes of it. */
Test(coffea_file, texts_that_are_numbers_are_numbers)
{
    read_text_as_file("{\"bytesread\": \"450\", \"entries\": 5e3, \"processtime\": \"8.5\","
                      " \"chunks\": null, \"columns\": \"{'a-data', 'b-data'}\","
                      " \"dataservers\": [\"x\"], \"walltime\": 3}");
    cr_expect_eq(file.report.of[CUP_COFFEA_BYTES], 450);
    cr_expect_eq(file.report.of[CUP_COFFEA_ENTRIES], 5000);
    cr_expect_eq(file.report.of[CUP_COFFEA_PROCESS], 8500000000);
    cr_expect_eq(file.report.of[CUP_COFFEA_CHUNKS], CUP_UNKNOWN64);
    cr_expect_null(file.columns);
    cr_expect(file.columns_unreadable);
    cr_expect_eq(file.ignored, 2);
}

/* More than a double holds to the last one. */
Test(coffea_file, bytes_are_exact)
{
    read_text_as_file("{\"bytesread\": 9007199254740993}");
    cr_expect_eq(file.report.of[CUP_COFFEA_BYTES], 9007199254740993);
}

#define DATASETS                                                                                   \
    "\"A\": {\"entries\": 10, \"duration\": 1.5,"                                                  \
    " \"performance_counters\": {\"num_requested_bytes\": 100, \"num_requests\": 1}},"             \
    " \"B\": {\"entries\": 20, \"duration\": 2}"

Test(coffea_file, datasets_are_added_up)
{
    read_text_as_file("{" DATASETS ", \"note\": {\"text\": \"x\"}, \"chunks\": 3}");
    cr_assert_eq(file.dataset_count, 2);
    cr_expect_str_eq(file.datasets[1].name, "B");
    cr_expect_eq(file.datasets[1].figures.of[CUP_COFFEA_BYTES], CUP_UNKNOWN64);
    cr_expect_eq(file.dataset_sums.of[CUP_COFFEA_ENTRIES], 30);
    cr_expect_eq(file.dataset_sums.of[CUP_COFFEA_PROCESS], 3500000000);
    cr_expect_eq(file.dataset_sums.of[CUP_COFFEA_BYTES], CUP_UNKNOWN64, "B has none");
    cr_expect_eq(file.report.of[CUP_COFFEA_ENTRIES], CUP_UNKNOWN64);
    cr_expect_eq(file.ignored, 1);
}

/* ---- what is refused -------------------------------------------------------------------- */

Test(coffea_file, each_mistake_is_named)
{
    static const struct {
        const char *text, *says;
    } cases[] = {
        {"{\"bytesread\": [1]}", "bytesread is a list, not a number"},
        {"{\"entries\": true}", "entries is true, not a number"},
        {"{\"entries\": \"12 events\"}", "entries is a text, not a number"},
        {"{\"entries\": \"\"}", "entries is a text, not a number"},
        {"{\"processtime\": \"inf\"}", "processtime is a text, not a number"},
        {"{\"processtime\": -1}", "processtime is negative"},
        {"{\"chunks\": 1.5}", "chunks is no whole number"},
        {"{\"processtime\": 1e300}", "processtime is too large"},
        {"{\"chunks\": 1, \"t_start\": 5, \"t_stop\": 4}", "t_stop is before t_start"},
        {"{\"A\": {\"duration\": {}}}", "dataset A: duration is an object, not a number"},
        {"{\"A\": {\"performance_counters\": 3}}", "dataset A: performance_counters is no object"},
        {"{\"events\": 1}", "no Coffea report"},
        {"{}", "no Coffea report"},
        {"[{}, {\"chunks\": 1}]", "line 1: a list, not an object"},
        {"null", "not an object"},
        {"{\"chunks\": 1,\n \"entries\": NaN}", "line 2, column 15"},
        {"{\"chunks\": 1,\n \"chunks\": 2}", "line 2, column"},
        {"", "line 1, column 0"},
        {"\x80\x04\x95pickle", "json.dump(report"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        write_file(cases[i].text);
        cr_expect_eq(cup_coffea_file_read(&file, path, &error), -1, "%s", cases[i].text);
        cr_expect(strstr(error.text, cases[i].says), "%s: %s", cases[i].text, error.text);
        cr_expect_str_eq(error.source, path);
    }
}

#define REPORT(...)                                                                                \
    run_verb(outside, cup_verb_report,                                                             \
             (const char *const[]){"report", scratch, "--coffea-report", __VA_ARGS__, NULL})

static char *printed(const char *name)
{
    char from[2 * SUPPORT_PATH];
    snprintf(from, sizeof from, "%s/%s", outside, name);
    return read_text(from);
}

Test(coffea_file, a_bad_one_is_one_line_and_status_1)
{
    cr_expect_eq(REPORT("/nowhere/coffea.json"), 1);
    char *missing = printed("err"), *out = printed("out");
    cr_expect_str_eq(missing, "cupping: /nowhere/coffea.json: cannot open: No such file or "
                              "directory\n");
    cr_expect_str_eq(out, "");
    cr_expect_eq(REPORT(scratch), 1);
    char *directory = printed("err");
    cr_expect(strstr(directory, "cannot read: Is a directory\n"), "%s", directory);
    free(missing), free(out), free(directory);
}

/* ---- what it is compared with ----------------------------------------------------------- */

static json_t *report_with(const char *text)
{
    write_file(text);
    cr_assert_eq(REPORT(path, "--json", "-"), 0);
    char *json = printed("out");
    json_t *root = json_loads(json, JSON_REJECT_DUPLICATES, NULL);
    cr_assert_not_null(root, "%s", json);
    free(json);
    return root;
}

static json_t *compared(json_t *report, const char *field)
{
    json_t *rows = json_object_get(json_object_get(report, "coffea"), "compared"), *row;
    size_t i;
    json_array_foreach(rows, i, row) if (strcmp(json_string_value(json_object_get(row, "field")),
                                                field) == 0) return row;
    cr_assert_fail("%s is not compared", field);
    return NULL;
}

/* NAN: null. */
static double number(json_t *object, const char *name)
{
    json_t *value = json_object_get(object, name);
    cr_assert(json_is_number(value) || json_is_null(value), "%s", name);
    return json_is_null(value) ? NAN : json_number_value(value);
}

static void expect_row(json_t *report, const char *field, double seen, double given, bool differs)
{
    json_t *row = compared(report, field);
    cr_expect_float_eq(number(row, "seen"), seen, 1e-9, "%s: %g", field, number(row, "seen"));
    cr_expect_float_eq(number(row, "given"), given, 1e-9, "%s: %g", field, number(row, "given"));
    cr_expect_float_eq(number(row, "ratio"), given / seen, 1e-9, "%s", field);
    cr_expect_eq(json_is_true(json_object_get(row, "differs")), differs, "%s", field);
}

static const char *sentence(json_t *report, size_t index)
{
    json_t *all = json_object_get(json_object_get(report, "coffea"), "differs");
    const char *text = json_string_value(json_array_get(all, index));
    return text ? text : "";
}

/* Seen: 450 bytes, 5000 events, 2 + 5 + 1 s, 3 chunks. Each chunk may be 1 us off. */
Test(coffea_file, the_same_does_not_differ)
{
    json_t *report = report_with("{\"bytesread\": 450, \"entries\": 5000, \"processtime\": "
                                 "8.0000039, \"chunks\": 3}");
    expect_row(report, "bytesread", 450, 450, false);
    expect_row(report, "entries", 5000, 5000, false);
    expect_row(report, "processtime", 8, 8.0000039, false);
    expect_row(report, "chunks", 3, 3, false);
    cr_expect_str_eq(sentence(report, 0), "");
    json_decref(report);
}

Test(coffea_file, what_differs_is_told_with_both_numbers)
{
    json_t *report = report_with("{\"bytesread\": 900, \"entries\": 5000, \"processtime\": "
                                 "8.0000041, \"chunks\": 4}");
    expect_row(report, "bytesread", 450, 900, true);
    expect_row(report, "entries", 5000, 5000, false);
    expect_row(report, "processtime", 8, 8.0000041, true);
    expect_row(report, "chunks", 3, 4, true);
    cr_expect_eq(strncmp(sentence(report, 0),
                         "bytesread: the report given says 900, the run itself 450. ", 58),
                 0, "%s", sentence(report, 0));
    cr_expect_eq(strncmp(sentence(report, 2), "chunks: ", 8), 0, "%s", sentence(report, 2));
    cr_expect_str_eq(sentence(report, 3), "");
    json_decref(report);
}

Test(coffea_file, the_text_shows_both)
{
    write_file("{\"bytesread\": 900, \"columns\": \"{'a'}\", \"extra\": 1, " DATASETS "}");
    cr_assert_eq(REPORT(path, "--full"), 0);
    char *text = printed("out");
    cr_expect(strstr(text, "Coffea's report"));
    cr_expect(strstr(text, "bytes requested      450 B  900 B   2.00  differs"), "%s", text);
    cr_expect(strstr(text, "columns could not be read"));
    cr_expect(strstr(text, "Members of the file that were ignored: 1."));
    cr_expect(strstr(text, "sum over datasets      30    3.50 s              n/a"), "%s", text);
    free(text);
}

/* ---- what it stands in for -------------------------------------------------------------- */

static double workflow(json_t *report, const char *name)
{
    return number(json_object_get(report, "workflow"), name);
}

static const char *source(json_t *report, const char *name)
{
    json_t *sources = json_object_get(json_object_get(report, "sources"), "workflow");
    return json_string_value(json_object_get(sources, name));
}

/* What was seen stays, however much the file differs. */
Test(coffea_file, never_replaces_what_was_seen)
{
    json_t *report = report_with("{\"bytesread\": 1, \"entries\": 2, \"processtime\": 3, "
                                 "\"chunks\": 4}");
    cr_expect_eq(workflow(report, "total_bytes_read_coffea"), 450);
    cr_expect_eq(workflow(report, "total_events_coffea"), 5000);
    cr_expect_eq(workflow(report, "total_cpu_time"), 8);
    cr_expect_eq(workflow(report, "num_chunks_coffea"), 3);
    cr_expect(!strstr(source(report, "total_cpu_time"), "--coffea-report"));
    json_decref(report);
}

/* The golden run has Coffea's clock calls, but, without reports, no bytes, entries or chunks. */
Test(coffea_file, stands_in_for_what_was_not)
{
    save_golden(false);
    json_t *report = report_with("{\"bytesread\": 600, \"entries\": 2, \"processtime\": 3, "
                                 "\"chunks\": 4}");
    cr_expect_eq(workflow(report, "total_bytes_read_coffea"), 600);
    cr_expect_eq(workflow(report, "total_events_coffea"), 2);
    cr_expect_eq(workflow(report, "total_cpu_time"), 8);
    cr_expect_eq(workflow(report, "num_chunks_coffea"), 4);
    cr_expect_float_eq(workflow(report, "requested_rate_mbs"), 600 / 1e6 / 12, 1e-12);
    cr_expect(strstr(source(report, "num_chunks_coffea"), "the file of --coffea-report"));
    cr_expect(json_is_null(json_object_get(compared(report, "chunks"), "ratio")));
    json_decref(report);
}

Test(coffea_file, datasets_replace_the_totals)
{
    json_t *report = report_with("{\"bytesread\": 450, \"processtime\": 8, " DATASETS "}");
    cr_expect_eq(workflow(report, "total_bytes_read_coffea"), 450, "a dataset has no bytes");
    cr_expect_eq(workflow(report, "total_events_coffea"), 30);
    cr_expect_eq(workflow(report, "total_cpu_time"), 3.5);
    cr_expect_eq(workflow(report, "num_chunks_coffea"), 3);
    cr_expect_float_eq(workflow(report, "event_rate_agg_khz"), 5 / 3.5, 1e-9);
    cr_expect(isnan(workflow(report, "avg_cpu_time_per_chunk")), "their chunks are not known");
    cr_expect(strstr(source(report, "total_cpu_time"), "duration of the datasets"));
    expect_row(report, "bytesread", 450, 450, false);
    json_decref(report);
}

/* The user's own clock calls stand in for a Runner call that nobody saw: from 1 s before the first
 * task, which starts at 10 s, to 3 s after the last, which stops at 22 s. */
Test(coffea_file, times_of_the_call_are_taken)
{
    json_t *report =
        report_with("{\"chunks\": 3, \"t_start\": 1700000009, \"t_stop\": 1700000025}");
    json_t *run = json_array_get(json_object_get(report, "runs"), 0);
    cr_expect_eq(workflow(report, "wall_time"), 16);
    cr_expect_eq(workflow(report, "graph_s"), 1);
    cr_expect_eq(number(run, "wall_time"), 16);
    cr_expect(json_is_null(json_object_get(run, "pid")));
    json_decref(report);
}

/* perf_counter() instead of time(): no task ran at such a time. */
Test(coffea_file, times_of_another_clock_are_not)
{
    json_t *report = report_with("{\"chunks\": 3, \"t_start\": 9, \"t_stop\": 25}");
    cr_expect_eq(workflow(report, "wall_time"), 12);
    cr_expect(json_is_null(json_object_get(json_object_get(report, "workflow"), "graph_s")));
    json_decref(report);
}

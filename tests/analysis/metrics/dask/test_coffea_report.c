/* What Coffea reports, made from the chunks: sums over those whose result was used, and the union
 * of their columns. */
#include <criterion/criterion.h>

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/metrics/chunks/slowest.h"
#include "analysis/metrics/metrics.h"
#include "cli/verbs.h"
#include "tests/analysis/support.h"

static char scratch[SUPPORT_PATH], outside[SUPPORT_PATH];
static struct log_builder builder;
static struct cup_profile profile;
static struct cup_totals totals;

static void set_up(void)
{
    make_scratch(scratch);
    make_scratch(outside);
    build_golden_log(&builder);
}

static void tear_down(void)
{
    builder_free(&builder);
    cup_totals_free(&totals);
    cup_profile_free(&profile);
    remove_scratch(scratch);
    remove_scratch(outside);
}

TestSuite(coffea_report, .init = set_up, .fini = tear_down);

enum { PT = 60, ETA, CHARGE, VAIN };

static void add_names(struct log_builder *b)
{
    builder_string(b, PT, "Muon_pt-data");
    builder_string(b, ETA, "Jet_eta-data");
    builder_string(b, CHARGE, "Muon_charge-data");
    builder_string(b, VAIN, "never_used-data");
}

static void add_set(struct log_builder *b, uint32_t id, uint32_t one, uint32_t other)
{
    const uint32_t names[] = {one, other};
    struct cup_r_columns columns = {.id = id, .count = 2};
    builder_record(b, CUP_R_COLUMNS, &columns, sizeof columns, names, sizeof names);
}

static void add_report(struct log_builder *b, uint32_t task, uint32_t columns, uint64_t bytes,
                       uint64_t entries)
{
    struct cup_r_chunk_report report = {
        .task = task, .columns = columns, .requested_bytes = bytes, .entries = entries};
    BUILDER_ADD(b, CUP_R_CHUNK_REPORT, report);
}

/* Chunks 1, 2 and 4 are used; 3 is the attempt that erred. */
static void add_reports(void)
{
    add_names(&builder);
    add_set(&builder, 1, PT, ETA);
    add_set(&builder, 2, PT, CHARGE);
    add_set(&builder, 3, PT, VAIN);
    add_report(&builder, 1, 1, 200, 1000);
    add_report(&builder, 2, 2, 250, 3000);
    add_report(&builder, 3, 3, 7000, 1000);
    add_report(&builder, 4, 1, CUP_UNKNOWN64, 1000);
}

static void load(void)
{
    struct cup_error error;
    const struct cup_load_options options = {.counters = true};
    builder_finish(&builder);
    save_log(&builder, scratch, "a.cup");
    cr_assert_eq(cup_profile_load(&profile, scratch, &options, &error), 0, "%s", error.text);
    cr_assert_eq(cup_totals_make(&totals, &profile), 0);
}

static void expect(const char *name, double expected)
{
    double value = cup_number(named_metric(&totals, "workflow", name));
    cr_expect_float_eq(value, expected, 1e-12, "%s is %.17g, not %.17g", name, value, expected);
}

Test(coffea_report, only_used_chunks_count)
{
    add_reports();
    load();
    expect("num_chunks_coffea", 3);
    expect("num_chunks", 3);
    expect("total_events_coffea", 5000);
    expect("total_bytes_read_coffea", 450);
    expect("total_cpu_time", 2 + 5 + 1);
    expect("num_columns", 3);
    expect("read_amplification", (400 + 600) / 450.0); /* of those whose request is known */
    expect("requested_rate_mbs", 450 / 1e6 / 12);
    cr_expect_eq(profile.orphan_records, 0);
}

Test(coffea_report, without_it_there_is_nothing)
{
    static const char *const names[] = {"num_chunks_coffea",  "total_events_coffea",
                                        "num_columns",        "total_bytes_read_coffea",
                                        "read_amplification", "requested_rate_gbps"};
    load();
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        cr_expect_eq(named_metric(&totals, "workflow", names[i]).kind, CUP_VALUE_NULL, "%s",
                     names[i]);
}

Test(coffea_report, columns_are_sorted_and_each_is_there_once)
{
    static const char *const names[] = {"Jet_eta-data", "Muon_charge-data", "Muon_pt-data"};
    size_t count = 0;
    add_reports();
    load();
    uint32_t *columns = cup_columns_used(&totals, &count);
    cr_assert_eq(count, 3);
    for (size_t i = 0; i < count; i++) {
        struct cup_text text = cup_profile_text(&profile, columns[i]);
        cr_expect_eq(text.length, strlen(names[i]));
        cr_expect_eq(strncmp(text.bytes, names[i], text.length), 0);
    }
    free(columns);
}

/* The second process numbers its strings, sets and tasks anew. */
Test(coffea_report, of_two_processes_is_the_sum)
{
    struct log_builder other;
    add_reports();
    builder_start(&other);
    builder_header(&other)->pid = 4343;
    builder_string(&other, 1, "MET_pt-data");
    builder_string(&other, 2, "Muon_pt-data");
    add_set(&other, 1, 1, 2);
    struct cup_r_task_begin begin = {
        .task = 1, .origin = CUP_ORIGIN_COFFEA, .start_ns = at_second(10)};
    struct cup_r_task_end end = {
        .task = 1, .status = CUP_STATUS_FINISHED, .stop_ns = at_second(12)};
    struct cup_r_item item = {.task = 1, .kind = CUP_ITEM_WORK, .entry_start = 0, .entry_stop = 50};
    builder_begin(&other, &begin, "made up");
    BUILDER_ADD(&other, CUP_R_ITEM, item);
    add_report(&other, 1, 1, 40, 50);
    BUILDER_ADD(&other, CUP_R_TASK_END, end);
    builder_finish(&other);
    save_log(&other, scratch, "b.cup");
    builder_free(&other);
    load();
    expect("num_chunks_coffea", 4);
    expect("total_events_coffea", 5050);
    expect("total_bytes_read_coffea", 490);
    expect("num_columns", 4);
}

/* Chunks without Dask have no key: two of them in two processes are never attempts at one. */
Test(coffea_report, chunks_without_a_key_are_different_ones)
{
    struct log_builder other;
    for (uint32_t pid = 1; pid <= 2; pid++) {
        builder_start(&other);
        builder_header(&other)->pid = pid;
        struct cup_r_task_begin begin = {
            .task = 1, .origin = CUP_ORIGIN_COFFEA, .start_ns = at_second(10)};
        struct cup_r_task_end end = {
            .task = 1, .status = CUP_STATUS_FINISHED, .stop_ns = at_second(12)};
        struct cup_r_item item = {
            .task = 1, .kind = CUP_ITEM_WORK, .entry_start = 0, .entry_stop = 50};
        builder_begin(&other, &begin, "made up");
        BUILDER_ADD(&other, CUP_R_ITEM, item);
        BUILDER_ADD(&other, CUP_R_TASK_END, end);
        builder_finish(&other);
        save_log(&other, scratch, pid == 1 ? "b.cup" : "c.cup");
        builder_free(&other);
    }
    load();
    expect("num_chunks", 3 + 2);
    expect("num_retried_chunks", 1); /* that of the golden run */
}

/* skipbadfiles: the task succeeds with None, which Dask says is 16 bytes. Two attempts are one. */
Test(coffea_report, skipped_chunks_are_none_of_the_results)
{
    const struct cup_r_run call = {.run = 1, .start_ns = at_second(9), .stop_ns = at_second(30)};
    BUILDER_ADD(&builder, CUP_R_RUN, call);
    builder_header(&builder)->health[CUP_H_RUNS] = 1;
    add_reports();
    for (uint32_t task = 20; task <= 22; task++) {
        struct cup_r_task_begin begin = {
            .task = task, .origin = CUP_ORIGIN_DASK, .start_ns = at_second(task)};
        struct cup_r_item item = {
            .task = task, .kind = CUP_ITEM_WORK, .entry_start = 0, .entry_stop = 700};
        struct cup_r_task_end end = {.task = task,
                                     .status = CUP_STATUS_FINISHED,
                                     .result_bytes = task == 22 ? 17 : 16,
                                     .stop_ns = at_second(task)};
        builder_begin(&builder, &begin, task == 22 ? "other" : "broken");
        BUILDER_ADD(&builder, CUP_R_ITEM, item);
        BUILDER_ADD(&builder, CUP_R_TASK_END, end);
    }
    load();
    expect("num_chunks", 3 + 1); /* 17 bytes are a result */
    expect("total_events", 5000 + 700);
    expect("num_chunks_coffea", 3 + 1);
    expect("total_events_coffea", 5000);
    cr_expect_eq(totals.skipped_chunks, 1);
    cr_expect_eq(totals.repeated_chunks, 1);
}

/* The file cannot be read at first: Dask tries again, and then Coffea goes on without. That the
 * first attempt failed does not make the second one a success in vain. */
Test(coffea_report, a_chunk_may_fail_before_it_is_skipped)
{
    add_reports();
    for (uint32_t task = 20; task <= 21; task++) {
        struct cup_r_task_begin begin = {
            .task = task, .origin = CUP_ORIGIN_DASK, .start_ns = at_second(task)};
        struct cup_r_item item = {
            .task = task, .kind = CUP_ITEM_WORK, .entry_start = 0, .entry_stop = 700};
        struct cup_r_task_end end = {.task = task,
                                     .status = task == 20 ? CUP_STATUS_ERRED : CUP_STATUS_FINISHED,
                                     .result_bytes = 16,
                                     .stop_ns = at_second(task)};
        builder_begin(&builder, &begin, "broken");
        BUILDER_ADD(&builder, CUP_R_ITEM, item);
        BUILDER_ADD(&builder, CUP_R_TASK_END, end);
    }
    load();
    cr_expect_eq(totals.skipped_chunks, 1);
    cr_expect_eq(totals.repeated_chunks, 0);
    cr_expect_eq(totals.losses->sums.chunks[CUP_LOSS_SKIPPED], 1);
    cr_expect_eq(totals.losses->sums.events[CUP_LOSS_SKIPPED], 700);
    cr_expect_eq(totals.waste->retried.tasks, 0);
    cr_assert_eq(totals.hosts->count, 1);
    cr_expect_eq(totals.hosts->rows[0].failed_chunks, 1 + 1); /* and that of the golden run */
    expect("num_chunks_coffea", 3 + 1);                       /* Coffea counts what it handed out */
}

#define RUN(verb, ...)                                                                             \
    run_verb(outside, cup_verb_##verb, (const char *const[]){#verb, __VA_ARGS__, NULL})

Test(coffea_report, is_in_the_json)
{
    char path[2 * SUPPORT_PATH];
    add_reports();
    load();
    cr_assert_eq(RUN(report, scratch, "--json", "-"), 0);
    snprintf(path, sizeof path, "%s/out", outside);
    json_t *report = json_load_file(path, JSON_REJECT_DUPLICATES, NULL);
    json_t *coffea = json_object_get(report, "coffea");
    json_t *rows = json_object_get(json_object_get(report, "chunks"), "rows");
    cr_expect_eq(json_integer_value(json_object_get(coffea, "bytesread")), 450);
    cr_expect_eq(json_integer_value(json_object_get(coffea, "entries")), 5000);
    cr_expect_eq(json_integer_value(json_object_get(coffea, "chunks")), 3);
    cr_expect_eq(json_number_value(json_object_get(coffea, "processtime")), 8);
    cr_expect_eq(json_array_size(json_object_get(coffea, "columns")), 3);
    json_t *first = json_array_get(rows, 0), *last = json_array_get(rows, 3);
    cr_expect_eq(json_integer_value(json_object_get(first, "requested_bytes")), 200);
    cr_expect_eq(json_integer_value(json_object_get(first, "columns_read")), 2);
    cr_expect(json_is_null(json_object_get(last, "requested_bytes")));
    json_decref(report);
}

Test(coffea_report, the_dump_shows_its_records)
{
    char path[2 * SUPPORT_PATH], log[2 * SUPPORT_PATH];
    add_reports();
    load();
    snprintf(log, sizeof log, "%s/a.cup", scratch);
    cr_assert_eq(RUN(dump, log), 0);
    snprintf(path, sizeof path, "%s/out", outside);
    char *text = read_text(path);
    cr_expect(strstr(text, "COLUMNS id=2 count=2 #60 #62"));
    cr_expect(strstr(text, "CHUNK_REPORT task=4 columns=1 requested_bytes=? entries=1000"));
    free(text);
}

/* Such as a chunk of uproot.dask next to those of a Runner's call. */
Test(coffea_report, a_chunk_without_clock_calls_has_no_part_in_rates_of_process)
{
    enum { ZTOMUMU = 5 }; /* of the golden run */
    struct cup_r_task_begin begin = {
        .task = 20, .origin = CUP_ORIGIN_ASYNC, .start_ns = at_second(20)};
    struct cup_r_item item = {
        .task = 20, .kind = CUP_ITEM_READ, .dataset = ZTOMUMU, .entry_start = 0, .entry_stop = 700};
    struct cup_r_task_end end = {
        .task = 20, .status = CUP_STATUS_FINISHED, .stop_ns = at_second(21), .result_bytes = 99};
    builder_begin(&builder, &begin, "partition");
    BUILDER_ADD(&builder, CUP_R_ITEM, item);
    BUILDER_ADD(&builder, CUP_R_TASK_END, end);
    load();
    struct cup_slowest slowest;
    json_t *report = report_json(scratch, outside);
    json_t *rows = json_object_get(json_object_get(report, "datasets"), "rows");
    expect("num_chunks", 3 + 1);
    expect("total_events", 5000 + 700);
    expect("total_cpu_time", 8);
    cr_expect_eq(named_metric(&totals, "workflow", "event_rate_agg_khz").kind, CUP_VALUE_NULL);
    cr_expect(
        json_is_null(json_object_get(json_row(rows, "dataset", "ZToMuMu"), "event_rate_agg_khz")));
    cr_expect_float_eq(
        json_real_value(json_object_get(json_row(rows, "dataset", "TTbar"), "event_rate_agg_khz")),
        3000 / 1e3 / 5, 1e-12);
    cr_expect_not(cup_slowest_find(&totals, &slowest), "one dataset is left");
    json_decref(report);
}

static json_t *dataset_amplification(uint64_t mapped)
{
    uint64_t values[CUP_COUNTER_COUNT] = {[CUP_C_MAPPED_BYTES] = mapped};
    struct cup_r_counters block = {.task = 1, .tid = 100, .block = 2, .sequence = 90};
    add_reports();
    builder_counters(&builder, &block, values);
    load();
    json_t *report = report_json(scratch, outside);
    json_t *rows = json_object_get(json_object_get(report, "datasets"), "rows");
    json_t *value =
        json_incref(json_object_get(json_row(rows, "dataset", "TTbar"), "read_amplification"));
    json_decref(report);
    return value;
}

Test(coffea_report, amplification_by_dataset)
{
    json_t *value = dataset_amplification(0);
    cr_expect_float_eq(json_real_value(value), 600 / 250.0, 1e-12);
    json_decref(value);
}

/* mmap=True: which dataset the mapped bytes are of is not known. */
Test(coffea_report, amplification_by_dataset_is_not_known_with_mapped_files)
{
    json_t *value = dataset_amplification(500);
    expect("read_amplification", (400 + 600 + 500) / 450.0);
    cr_expect(json_is_null(value));
    json_decref(value);
}

static void expect_null_in(json_t *row, const char *key)
{
    cr_expect(json_is_null(json_object_get(row, key)), "%s", key);
}

static json_t *rows_of(const json_t *report, const char *section)
{
    return json_object_get(json_object_get(report, section), "rows");
}

Test(coffea_report, bytes_are_null_if_reads_were_not_recorded)
{
    builder_header(&builder)->features &= ~(uint64_t)CUP_FEATURE_FILES;
    add_reports();
    load();
    json_t *report = report_json(scratch, outside);
    json_t *dataset = json_row(rows_of(report, "datasets"), "dataset", "TTbar");
    json_t *prefix = json_row(rows_of(report, "tasks_by_prefix"), "prefix", "Dimuon");
    json_t *host = json_array_get(rows_of(report, "hosts"), 0);
    json_t *chunks = json_object_get(json_object_get(report, "chunks"), "statistics");
    expect_null_in(dataset, "read_bytes");
    expect_null_in(dataset, "all_attempts_read_bytes");
    expect_null_in(dataset, "bytes_per_event");
    expect_null_in(dataset, "read_rate_core_mbs");
    expect_null_in(dataset, "read_amplification");
    expect_null_in(prefix, "read_bytes");
    expect_null_in(prefix, "child_read_bytes");
    expect_null_in(host, "read_bytes");
    expect_null_in(host, "read_rate_mbs");
    expect_null_in(json_object_get(chunks, "read_bytes"), "mean");
    expect_null_in(json_object_get(chunks, "read_per_event_bytes"), "mean");
    json_decref(report);
}

/* The clock of the worker's host was set back by 90 s in process(). */
Test(coffea_report, a_clock_that_went_back_makes_no_negative_time)
{
    struct cup_statistics statistics[CUP_STAT_COUNT];
    struct cup_r_chunk chunk = {.task = 1, .tic_ns = at_second(5), .toc_ns = at_second(-85)};
    BUILDER_ADD(&builder, CUP_R_CHUNK, chunk);
    load();
    cup_chunk_statistics(&totals, statistics);
    cr_expect_eq(statistics[CUP_STAT_PROCESS].count, 2);
    cr_expect_float_eq(statistics[CUP_STAT_PROCESS].min, 1, 1e-12);
    cr_expect_eq(statistics[CUP_STAT_OPEN].count, 2);
    cr_expect_float_eq(statistics[CUP_STAT_OPEN].min, 0.5, 1e-12);
    json_t *report = report_json(scratch, outside);
    json_t *row = json_array_get(json_object_get(json_object_get(report, "chunks"), "rows"), 0);
    cr_expect(json_is_null(json_object_get(row, "open_s")));
    cr_expect(json_is_null(json_object_get(row, "process_s")));
    json_decref(report);
}

/* Dask's fine metrics, against sums worked out by hand. */
#include <criterion/criterion.h>

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

static void set_up(void)
{
    make_scratch(scratch);
    make_scratch(outside);
    builder_start(&builder);
}

static void tear_down(void)
{
    cup_totals_free(&totals);
    cup_profile_free(&profile);
    builder_free(&builder);
    remove_scratch(scratch);
    remove_scratch(outside);
}

TestSuite(fine, .init = set_up, .fini = tear_down);

/* ---- logs -------------------------------------------------------------------------------- */

enum {
    ADDRESS = 1,
    EXECUTE,
    GET_DATA,
    P2P,
    ONE,
    ONE_NAME,
    TWO,
    TWO_NAME,
    DIMUON,
    REDUCE,
    CPU,
    NONCPU,
    DISK_WRITE,
    MEMORY_READ,
    COMPRESS,
    NETWORK,
    JETS,
    SHUFFLE,
    SECONDS,
    BYTES,
    COUNT,
    LATENCY
};

static void add_strings(void)
{
    static const char *const texts[] = {
        [ADDRESS] = "tcp://10.0.0.1:4000",
        [EXECUTE] = "execute",
        [GET_DATA] = "get-data",
        [P2P] = "p2p",
        [ONE] = "5f-1",
        [ONE_NAME] = "phase1/sub",
        [TWO] = "5f-2",
        [TWO_NAME] = "default",
        [DIMUON] = "Dimuon",
        [REDUCE] = "reduce",
        [CPU] = "thread-cpu",
        [NONCPU] = "thread-noncpu",
        [DISK_WRITE] = "disk-write",
        [MEMORY_READ] = "memory-read",
        [COMPRESS] = "compress",
        [NETWORK] = "network",
        [JETS] = "jets",
        [SHUFFLE] = "background-comms/compress",
        [SECONDS] = "seconds",
        [BYTES] = "bytes",
        [COUNT] = "count",
        [LATENCY] = "latency",
    };
    for (uint32_t id = 1; id < sizeof texts / sizeof *texts; id++)
        builder_string(&builder, id, texts[id]);
    struct cup_r_server server = {.id = 1, .role = CUP_ROLE_WORKER, .address = ADDRESS};
    struct cup_r_span one = {.id = ONE, .name = ONE_NAME}, two = {.id = TWO, .name = TWO_NAME};
    BUILDER_ADD(&builder, CUP_R_SERVER, server);
    BUILDER_ADD(&builder, CUP_R_SPAN, one);
    BUILDER_ADD(&builder, CUP_R_SPAN, two);
}

static void add_task(uint32_t task, uint32_t span, uint32_t prefix, double start, double stop,
                     double cpu)
{
    struct cup_r_task_begin begin = {.task = task,
                                     .tid = 100,
                                     .prefix = prefix,
                                     .server = 1,
                                     .span = span ? span + 1 : 0,
                                     .span_id = span,
                                     .origin = CUP_ORIGIN_DASK,
                                     .start_ns = at_second(start)};
    struct cup_r_task_end end = {.task = task,
                                 .status = CUP_STATUS_FINISHED,
                                 .stop_ns = at_second(stop),
                                 .cpu_ns = (uint64_t)(cpu * 1e9)};
    char key[16];
    snprintf(key, sizeof key, "key-%u-%p", task, (void *)&builder);
    builder_begin(&builder, &begin, key);
    BUILDER_ADD(&builder, CUP_R_TASK_END, end);
}

static uint32_t keys;

/* The only value of a key, told at SECOND. */
static void tell(double second, uint32_t context, uint32_t span, uint32_t prefix, uint32_t activity,
                 uint32_t unit, double value)
{
    struct cup_r_digest_key key = {.key = ++keys,
                                   .server = 1,
                                   .context = context,
                                   .span = span,
                                   .prefix = prefix,
                                   .activity = activity,
                                   .unit = unit};
    struct cup_digest_value values[] = {{.key = keys, .value = value}};
    struct cup_r_digest digest = {.server = 1, .time_ns = at_second(second)};
    BUILDER_ADD(&builder, CUP_R_DIGEST_KEY, key);
    builder_record(&builder, CUP_R_DIGEST, &digest, sizeof digest, values, sizeof values);
}

static void finish_digests(double second)
{
    struct cup_r_digest digest = {.server = 1, .last = 1, .time_ns = at_second(second)};
    BUILDER_ADD(&builder, CUP_R_DIGEST, digest);
}

static void save(const char *name)
{
    builder_finish(&builder);
    save_log(&builder, scratch, name);
    builder_free(&builder);
    builder_start(&builder);
    keys = 0;
}

/* Two tasks of the first span (4 s and 2 s, CPU 3 s and 0.5 s), one of the second (1 s, CPU 1 s),
 * the first of which carried a chunk. */
static void add_tasks(void)
{
    struct cup_r_item item = {.task = 1, .kind = CUP_ITEM_WORK, .entry_start = 0, .entry_stop = 9};
    add_task(1, ONE, DIMUON, 10, 14, 3);
    BUILDER_ADD(&builder, CUP_R_ITEM, item);
    add_task(2, ONE, REDUCE, 14, 16, 0.5);
    add_task(3, TWO, REDUCE, 16, 17, 1);
}

static void tell_all(double scale)
{
    tell(12, EXECUTE, ONE, DIMUON, CPU, SECONDS, 3 * scale);
    tell(13, EXECUTE, ONE, DIMUON, NONCPU, SECONDS, 1.25 * scale);
    tell(14, EXECUTE, ONE, REDUCE, CPU, SECONDS, 0.5 * scale);
    tell(14, EXECUTE, TWO, REDUCE, CPU, SECONDS, 2 * scale);
    tell(14, EXECUTE, ONE, REDUCE, MEMORY_READ, BYTES, 700 * scale);
    tell(14, EXECUTE, ONE, REDUCE, MEMORY_READ, COUNT, 7 * scale);
    tell(14, EXECUTE, ONE, REDUCE, DISK_WRITE, BYTES, 60 * scale);
    tell(14, EXECUTE, ONE, REDUCE, DISK_WRITE, SECONDS, 9 * scale);
    tell(14, EXECUTE, ONE, DIMUON, JETS, COUNT, 21 * scale);
    tell(15, GET_DATA, 0, 0, MEMORY_READ, BYTES, 5000 * scale);
    tell(15, GET_DATA, 0, 0, DISK_WRITE, BYTES, 4 * scale);
    tell(15, GET_DATA, 0, 0, NETWORK, SECONDS, 8 * scale);
    tell(15, P2P, TWO, 0, SHUFFLE, SECONDS, 0.125 * scale);
    tell(15, GET_DATA, 0, 0, COMPRESS, SECONDS, 0.25 * scale);
    tell(15, 0, 0, 0, LATENCY, 0, 99 * scale);
}

/* Of two workers, the second with twice the values. */
static void save_two(void)
{
    for (int log = 0; log < 2; log++) {
        add_strings();
        if (log == 0)
            add_tasks();
        tell_all(log + 1);
        finish_digests(16);
        save(log ? "b.cup" : "a.cup");
    }
}

static void load_with(const char *span, unsigned run)
{
    struct cup_error error;
    const struct cup_load_options options = {.counters = true, .span = span, .run = run};
    cr_assert_eq(cup_profile_load(&profile, scratch, &options, &error), 0, "%s", error.text);
    cr_assert_eq(cup_totals_make(&totals, &profile), 0);
}

static void expect(const char *name, double expected)
{
    double value = cup_number(named_metric(&totals, "fine", name));
    cr_expect_float_eq(value, expected, 1e-12, "%s is %.17g, not %.17g", name, value, expected);
}

static void expect_null(const char *name)
{
    cr_expect_eq(named_metric(&totals, "fine", name).kind, CUP_VALUE_NULL, "%s", name);
}

/* ---- sums -------------------------------------------------------------------------------- */

Test(fine, totals_are_of_all_contexts_and_workers)
{
    save_two();
    load_with(NULL, 0);
    expect("thread_cpu_s", 3 * (3 + 0.5 + 2));
    expect("thread_noncpu_s", 3 * 1.25);
    expect("disk_write_bytes", 3 * 64);
    expect("disk_read_bytes", 0);
    expect("compress_s", 3 * (0.125 + 0.25));
    expect("network_s", 3 * 8);
    expect("workers_told", 2);
    expect("workers_silent", 0);
    expect("workers_incomplete", 0);
}

/* What is sent to others is none. */
Test(fine, memory_reads_are_inputs_of_tasks)
{
    save_two();
    load_with(NULL, 0);
    expect("memory_read_bytes", 3 * 700);
    expect("memory_read_count", 3 * 7);
    cr_expect_eq(cup_number(named_metric(&totals, "workflow", "total_bytes_memory_read_dask")),
                 3 * 700);
}

Test(fine, names_of_other_tools_are_of_spans)
{
    save_two();
    load_with(NULL, 0);
    expect("cpu_time_seconds", 3 * 5.5);
    expect("io_time_seconds", 3 * 1.25);
    expect("disk_write_bytes_tasks", 3 * 60);
    expect("compression_time_seconds", 3 * 0.125);
    expect("total_compression_overhead_seconds", 3 * 0.125);
    expect("total_serialization_overhead_seconds", 0);
}

Test(fine, the_processor_is_told_from_the_rest)
{
    save_two();
    load_with(NULL, 0);
    expect("processor_cpu_time_seconds_dask", 3 * 3);
    expect("processor_noncpu_time_seconds_dask", 3 * 1.25);
    expect("processor_cpu_percentage_dask", 100 * 3 / 4.25);
    expect("processor_noncpu_percentage_dask", 100 * 1.25 / 4.25);
    expect("overhead_cpu_time_seconds_dask", 3 * 2.5);
    expect("overhead_noncpu_time_seconds_dask", 0);
    expect("processor_cpu_time_seconds", 3);
    expect("overhead_cpu_time_seconds", 1.5);
}

Test(fine, nothing_told_is_not_zero)
{
    add_strings();
    add_tasks();
    save("a.cup");
    load_with(NULL, 0);
    expect_null("thread_cpu_s");
    expect_null("network_s");
    expect_null("total_compression_overhead_seconds");
    expect_null("processor_cpu_time_seconds_dask");
    expect_null("processor_noncpu_percentage_dask");
    expect_null("behind_s");
    expect("workers_told", 0);
    expect("workers_silent", 1);
    cr_expect_eq(totals.fine->span_count, 2);
}

/* ---- how old ----------------------------------------------------------------------------- */

/* A sample that finds nothing changed has looked at it, too. */
Test(fine, of_a_killed_worker_are_as_old_as_the_last_look)
{
    struct cup_r_sample sample = {.sample = 1, .server = 1, .time_ns = at_second(15.5)};
    add_strings();
    add_tasks(); /* the last sign of it: 17 s */
    tell(15, EXECUTE, ONE, DIMUON, CPU, SECONDS, 3);
    BUILDER_ADD(&builder, CUP_R_SAMPLE, sample);
    builder_header(&builder)->log_stop_ns = 0;
    save("a.cup");
    load_with(NULL, 0);
    expect("workers_incomplete", 1);
    expect("behind_s", 1.5);
    expect("thread_cpu_s", 3);
}

/* ---- a part of the tasks ----------------------------------------------------------------- */

Test(fine, a_span_has_its_own)
{
    save_two();
    load_with("phase1/sub", 0);
    cr_expect_eq(totals.all.tasks, 2);
    expect("thread_cpu_s", 3 * 3.5);
    expect("disk_write_bytes_tasks", 3 * 60);
    expect("memory_read_bytes", 3 * 700);
    expect_null("disk_write_bytes");
    expect_null("network_s");
    cr_expect_eq(totals.fine->row_count, 8);
}

Test(fine, a_span_is_found_by_its_id)
{
    save_two();
    load_with("5f-2", 0);
    cr_expect_eq(totals.all.tasks, 1);
    expect("thread_cpu_s", 3 * 2);
    expect_null("compress_s");
    expect("compression_time_seconds", 3 * 0.125);
}

static void add_runs(void)
{
    struct cup_r_run first = {.run = 1, .start_ns = at_second(9), .stop_ns = at_second(14.5)};
    struct cup_r_run second = {.run = 2, .start_ns = at_second(15.5), .stop_ns = at_second(18)};
    BUILDER_ADD(&builder, CUP_R_RUN, first);
    BUILDER_ADD(&builder, CUP_R_RUN, second);
    builder_header(&builder)->health[CUP_H_RUNS] = 2;
    save("c.cup");
}

/* The second has a span to itself. */
Test(fine, a_run_has_those_of_its_spans)
{
    save_two();
    add_runs();
    load_with(NULL, 2);
    cr_expect_eq(totals.all.tasks, 1);
    expect("thread_cpu_s", 3 * 2);
    expect_null("network_s");
}

/* A task of the first span belongs to neither alone. */
Test(fine, a_span_of_two_runs_cannot_be_split)
{
    add_strings();
    add_tasks();
    add_task(4, TWO, DIMUON, 10, 11, 1);
    tell_all(1);
    save("a.cup");
    add_runs();
    load_with(NULL, 2);
    cr_expect(totals.fine->mixed);
    cr_expect_eq(totals.fine->row_count, 0);
    expect_null("thread_cpu_s");
    expect_null("cpu_time_seconds");
}

Test(fine, all_runs_have_everything)
{
    save_two();
    add_runs();
    load_with(NULL, CUP_ALL_RUNS);
    expect("thread_cpu_s", 3 * 5.5);
    expect("network_s", 3 * 8);
}

/* ---- in the report ----------------------------------------------------------------------- */

static json_t *row_where(json_t *rows, const char *field, const char *value)
{
    size_t i;
    json_t *row;
    json_array_foreach(rows, i, row)
    {
        const char *text = json_string_value(json_object_get(row, field));
        if (text && strcmp(text, value) == 0)
            return row;
    }
    cr_assert_fail("no row where %s is %s", field, value);
    return NULL;
}

static double number(json_t *row, const char *field)
{
    json_t *value = json_object_get(row, field);
    cr_expect(json_is_number(value), "%s", field);
    return json_number_value(value);
}

Test(fine, rows_of_the_report)
{
    save_two();
    json_t *report = report_json(scratch, outside), *fine = json_object_get(report, "fine");
    json_t *rows = json_object_get(fine, "rows");
    cr_expect_eq(json_array_size(rows), 15);
    json_t *jets = row_where(rows, "activity", "jets");
    cr_expect_eq(number(jets, "value"), 63);
    cr_expect_eq(number(jets, "workers"), 2);
    cr_expect(json_is_true(json_object_get(jets, "user")));
    cr_expect_eq(json_array_size(json_object_get(fine, "user_activities")), 1);
    cr_expect_str_eq(json_string_value(json_object_get(jets, "span")), "phase1/sub");
    json_t *latency = row_where(rows, "activity", "latency");
    cr_expect(json_is_null(json_object_get(latency, "context")));
    json_decref(report);
}

Test(fine, what_the_program_named_is_told_by_its_name)
{
    save_two();
    const char *const arguments[] = {"report", scratch, "--only", "fine", NULL};
    cr_assert_eq(run_verb(outside, cup_verb_report, arguments), CUP_EXIT_DONE);
    char *text = read_text_in(outside, "out");
    cr_expect(strstr(text, "jets (Dimuon)"), "%s", text);
    cr_expect(strstr(text, " 63 "), "%s", text);
    cr_expect(strstr(text, "cupping includes them"), "%s", text);
    free(text);
}

Test(fine, groups_have_both_clocks)
{
    save_two();
    json_t *report = report_json(scratch, outside), *fine = json_object_get(report, "fine");
    json_t *prefix = row_where(json_object_get(fine, "by_prefix"), "prefix", "Dimuon");
    cr_expect_eq(number(prefix, "cpu_s"), 3);
    cr_expect_eq(number(prefix, "thread_cpu_s"), 9);
    cr_expect_float_eq(number(prefix, "thread_cpu_ratio"), 3.0 / 9, 1e-12);
    json_t *span = row_where(json_object_get(fine, "by_span"), "span_id", "5f-1");
    cr_expect_str_eq(json_string_value(json_object_get(span, "span")), "phase1/sub");
    cr_expect_eq(number(span, "tasks"), 2);
    cr_expect_eq(number(span, "wall_s"), 6);
    cr_expect_eq(number(span, "cpu_s"), 3.5);
    cr_expect_eq(number(span, "noncpu_s"), 2.5);
    cr_expect_eq(number(span, "disk_write_bytes"), 180);
    json_t *workers = json_object_get(fine, "by_worker");
    cr_assert_eq(json_array_size(workers), 2);
    cr_expect_eq(number(json_array_get(workers, 1), "network_s"), 16);
    cr_expect_eq(number(json_array_get(workers, 1), "memory_read_bytes"), 1400);
    json_decref(report);
}

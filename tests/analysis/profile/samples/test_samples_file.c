/* Samples that others took. */
#include <criterion/criterion.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "analysis/base/iso_time.h"
#include "analysis/profile/samples/samples_file.h"
#include "cli/verbs.h"
#include "tests/analysis/support.h"

static char scratch[SUPPORT_PATH], outside[SUPPORT_PATH], path[2 * SUPPORT_PATH];
static struct cup_samples_file file;
static struct cup_error error;

static void set_up(void)
{
    make_scratch(scratch);
    make_scratch(outside);
    snprintf(path, sizeof path, "%s/samples.json", outside);
    setenv("TZ", "CET-1CEST,M3.5.0,M10.5.0/3", 1);
    tzset();
}

static void tear_down(void)
{
    cup_samples_file_free(&file);
    remove_scratch(scratch);
    remove_scratch(outside);
}

TestSuite(samples_file, .init = set_up, .fini = tear_down);

/* ---- times ------------------------------------------------------------------------------- */

static void expect_time(const char *text, int64_t expected, bool has_zone)
{
    int64_t time_ns = 0;
    bool zoned = !has_zone;
    cr_assert_eq(cup_iso_time(text, &time_ns, &zoned), 0, "%s", text);
    cr_expect_eq(time_ns, expected, "%s is %lld", text, (long long)time_ns);
    cr_expect_eq(zoned, has_zone, "%s", text);
}

/* 1700000000 is 2023-11-14 22:13:20 UTC. */
Test(samples_file, times)
{
    const int64_t s = 1000000000, t = 1700000000 * s;
    expect_time("2023-11-14T22:13:20Z", t, true);
    expect_time("2023-11-14T22:13:20", t, false);
    expect_time("2023-11-14 22:13:20.5", t + s / 2, false);
    expect_time("2023-11-14T22:13:20.123456", t + 123456000, false);
    expect_time("2023-11-14T23:13:20+01:00", t, true);
    expect_time("2023-11-14T16:43:20.000001-05:30", t + 1000, true);
    expect_time("2023-11-14T22:13:20+0000", t, true);
    expect_time("2023-11-14T22:13", t - 20 * s, false);
    expect_time("2024-02-29T00:00:00Z", 1709164800 * s, true);
}

Test(samples_file, what_is_no_time)
{
    static const char *const wrong[] = {"",
                                        "1700000000.5",
                                        "2023-11-14",
                                        "2023-13-14T22:13:20",
                                        "2023-11-14T25:13:20",
                                        "2023-11-14T22:13:20.",
                                        "2023-11-14T22:13:20x",
                                        "2023-11-14T22:13:20+",
                                        "2023-11-14T22:13:20Z ",
                                        "yesterday"};
    int64_t time_ns;
    bool zoned;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        cr_expect_eq(cup_iso_time(wrong[i], &time_ns, &zoned), -1, "%s", wrong[i]);
}

Test(samples_file, local_time_knows_summer)
{
    const int64_t s = 1000000000;
    cr_expect_eq(cup_local_time(1700000000 * s + 7), (1700000000 - 3600) * s + 7);
    cr_expect_eq(cup_local_time(1690000000 * s), (1690000000 - 7200) * s);
}

/* ---- shapes ------------------------------------------------------------------------------ */

static void write_file(const char *text)
{
    FILE *out = fopen(path, "w");
    cr_assert_not_null(out);
    fputs(text, out);
    fclose(out);
}

static int read_file(const char *text, double from, double to)
{
    write_file(text);
    return cup_samples_file_read(&file, path, at_second(from), at_second(to), &error);
}

static void expect_values(size_t count)
{
    cr_assert_eq(file.value_count, count);
    for (size_t i = 0; i < count; i++)
        cr_expect_eq(file.values[i].value, CUP_SEEN_MEMORY);
}

/* Two workers at 0 and 1 s, two counts. */
static void expect_two_workers(void)
{
    expect_values(4);
    cr_assert_eq(file.worker_count, 2);
    cr_expect_eq(file.values[0].time_ns, at_second(0));
    cr_expect_eq(file.values[0].number, 100);
    cr_expect_eq(file.values[1].number, 300);
    cr_expect_eq(file.values[2].time_ns, at_second(1));
    cr_expect_eq(file.values[2].number, 200);
    cr_expect_eq(file.values[3].worker, 1);
    cr_assert_eq(file.count_count, 2);
    cr_expect_eq(file.counts[1].time_ns, at_second(1));
    cr_expect_eq(file.counts[1].workers, 2);
    cr_expect(file.together);
}

Test(samples_file, lists_of_objects)
{
    cr_assert_eq(
        read_file("{\"worker_counts\": [{\"timestamp\": 1700000000, \"worker_count\": 2},"
                  " {\"timestamp\": \"2023-11-14T22:13:21Z\", \"value\": 2}],"
                  " \"worker_memory\": {\"a\": [{\"timestamp\": 1700000001.0, \"value\": 200},"
                  " {\"timestamp\": \"2023-11-14T22:13:20+00:00\", \"memory_bytes\": 100}],"
                  " \"b\": [{\"timestamp\": 1700000000, \"value\": 300},"
                  " {\"timestamp\": 1700000001, \"value\": 400, \"more\": 1}]}}",
                  0, 10),
        0, "%s", error.text);
    expect_two_workers();
    cr_expect_eq(file.zoneless, 0);
}

Test(samples_file, mappings_of_times)
{
    cr_assert_eq(read_file("{\"worker_counts\": {\"2023-11-14T22:13:20Z\": 2, "
                           "\"2023-11-14T22:13:21Z\": 2}, \"worker_memory\": {\"a\": "
                           "{\"2023-11-14T22:13:21Z\": 200, \"2023-11-14T22:13:20Z\": 100}, "
                           "\"b\": {\"2023-11-14T22:13:20Z\": 300.0, "
                           "\"2023-11-14T22:13:21Z\": 400}}}",
                           0, 10),
                 0, "%s", error.text);
    expect_two_workers();
}

/* As roastcoffea saves it: counts by time, pairs by worker, other keys around. */
Test(samples_file, pairs_in_a_measurement)
{
    cr_assert_eq(read_file("{\"avg_workers\": 2.0, \"tracking_data\": {\"cores_per_worker\": null, "
                           "\"worker_counts\": {\"2023-11-14T23:13:20\": 2, "
                           "\"2023-11-14T23:13:21\": 2}, \"worker_memory\": {\"a\": "
                           "[[\"2023-11-14T23:13:20\", 100], [\"2023-11-14T23:13:21\", 200]], "
                           "\"b\": [[\"2023-11-14T23:13:20\", 300], "
                           "[\"2023-11-14T23:13:21\", 400]]}, "
                           "\"worker_memory_limit\": {\"a\": [[\"2023-11-14T23:13:20\", null]]}}}",
                           0, 10),
                 0, "%s", error.text);
    expect_two_workers();
    cr_expect_eq(file.zoneless, 7);
    cr_expect(file.local);
}

Test(samples_file, times_without_a_zone_may_be_utc)
{
    cr_assert_eq(read_file("{\"worker_counts\": {\"2023-11-14T22:13:20\": 2}}", 0, 10), 0);
    cr_expect_not(file.local);
    cr_expect_eq(file.counts[0].time_ns, at_second(0));
    cup_samples_file_free(&file);
    cr_assert_eq(read_file("{\"worker_counts\": {\"2023-11-14T22:13:20\": 2}}", 500, 510), 0);
    cr_expect(file.local);
}

Test(samples_file, workers_that_were_not_looked_at_together)
{
    cr_assert_eq(read_file("{\"worker_memory\": {\"a\": [[1700000000, 1], [1700000002, 1], "
                           "[1700000004, 1]], \"b\": [[1700000001, 1], [1700000003, 1], "
                           "[1700000005, 1]]}}",
                           0, 10),
                 0);
    cr_expect_not(file.together);
}

/* ---- bad files --------------------------------------------------------------------------- */

static void expect_wrong(const char *text, const char *part)
{
    cr_assert_eq(read_file(text, 0, 10), -1, "%s", text);
    cr_expect_not_null(strstr(error.text, part), "%s is not in: %s", part, error.text);
    cr_expect_str_eq(error.source, path);
}

Test(samples_file, that_are_bad)
{
    expect_wrong("", "line 1");
    expect_wrong("{\"worker_counts\": {\n\"2023\" 3}}", "line 2");
    expect_wrong("[1, 2]", "no object");
    expect_wrong("{}", "no samples in it");
    expect_wrong("{\"worker_counts\": 3}", "worker_counts: neither a list nor a mapping");
    expect_wrong("{\"worker_counts\": {\"1700000000\": 3}}", "no time in ISO 8601: \"1700000000\"");
    expect_wrong("{\"worker_counts\": [{\"timestamp\": \"now\", \"value\": 1}]}", "\"now\"");
    expect_wrong("{\"worker_counts\": [{\"time\": 1, \"value\": 1}]}", "without \"timestamp\"");
    expect_wrong("{\"worker_counts\": [[-5, 1]]}", "no time in seconds");
    expect_wrong("{\"worker_counts\": [[true, 1]]}", "neither a time");
    expect_wrong("{\"worker_counts\": [1]}", "[time, value]: 1");
    expect_wrong("{\"worker_memory\": {\"tcp://a\": [[1700000000, \"12\"]]}}",
                 "worker_memory of tcp://a: no number: \"12\"");
    expect_wrong("{\"worker_memory\": {\"tcp://a\": [[1700000000, -12]]}}", "below zero");
    expect_wrong("{\"worker_memory\": [1]}", "no object of workers");
    expect_wrong("{\"worker_memory\": {\"a\": null}}", "worker_memory of a: neither");
}

/* ---- in a report ------------------------------------------------------------------------- */

static const char three_workers[] =
    "{\"worker_counts\": {\"2023-11-14T22:13:30Z\": 3, \"2023-11-14T22:13:42Z\": 1},"
    " \"worker_memory\": {\"tcp://10.0.0.1:40000\": [[1700000010, 1000], [1700000022, 3000]]},"
    " \"worker_cores\": {\"tcp://10.0.0.1:40000\": [[1700000010, 4], [1700000022, 4]]}}";

static json_t *report_with(const char *text)
{
    char json[2 * SUPPORT_PATH];
    struct log_builder builder;
    builder_start(&builder);
    build_golden_log(&builder);
    save_log(&builder, scratch, "a.cup");
    builder_free(&builder);
    write_file(text);
    snprintf(json, sizeof json, "%s/out.json", outside);
    const char *const arguments[] = {"report", scratch, "--samples", path, "--json", json, NULL};
    cr_assert_eq(run_verb(outside, cup_verb_report, arguments), 0);
    char *written = read_text(json);
    json_t *root = json_loads(written, 0, NULL);
    free(written);
    cr_assert_not_null(root);
    return root;
}

static double number_of(json_t *root, const char *section, const char *name)
{
    return json_number_value(json_object_get(json_object_get(root, section), name));
}

/* The golden run is from 10 to 22 s. */
Test(samples_file, take_the_place_of_the_profiles)
{
    json_t *root = report_with(three_workers);
    cr_expect_float_eq(number_of(root, "workers", "avg_workers"), 2, 1e-12);
    cr_expect_float_eq(number_of(root, "workers", "avg_cores"), 4, 1e-12);
    cr_expect_float_eq(number_of(root, "workers", "total_cores"), 8, 1e-12);
    cr_expect_float_eq(number_of(root, "workers", "avg_memory_per_worker_bytes"), 2000, 1e-9);
    cr_expect_float_eq(number_of(root, "efficiency", "core_efficiency"), 8 / (12 * 8.0), 1e-12);
    cr_expect_float_eq(number_of(root, "efficiency", "thread_cpu_efficiency"), 10 / (12 * 4.0),
                       1e-12);
    json_t *sources = json_object_get(json_object_get(root, "sources"), "workers");
    const char *source = json_string_value(json_object_get(sources, "avg_workers"));
    cr_expect_not_null(strstr(source, "samples.json"), "%s", source);
    json_decref(root);
}

/* What a report holds can be given to another one. */
Test(samples_file, may_be_a_report)
{
    json_t *first = report_with(three_workers);
    char *text = json_dumps(first, 0);
    json_t *second = report_with(text);
    cr_expect_float_eq(number_of(second, "workers", "avg_workers"), 2, 1e-12);
    cr_expect_float_eq(number_of(second, "workers", "avg_memory_per_worker_bytes"), 2000, 1e-9);
    free(text);
    json_decref(first);
    json_decref(second);
}

Test(samples_file, that_is_bad_is_one_line)
{
    struct log_builder builder;
    char err[2 * SUPPORT_PATH];
    builder_start(&builder);
    build_golden_log(&builder);
    save_log(&builder, scratch, "a.cup");
    builder_free(&builder);
    write_file("{\"worker_counts\": {\"x\": 1}}");
    const char *const arguments[] = {"report", scratch, "--samples", path, NULL};
    cr_assert_eq(run_verb(outside, cup_verb_report, arguments), 1);
    snprintf(err, sizeof err, "%s/err", outside);
    char *text = read_text(err);
    cr_expect_not_null(strstr(text, "samples.json: worker_counts: no time in ISO 8601: \"x\"\n"),
                       "%s", text);
    free(text);
}

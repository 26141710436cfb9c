/* Dask's fine metrics in the report are compared with what the workers and the scheduler say
 * themselves. */
#include "tests/e2e/cluster.h"
#include "tests/e2e/job.h"
#include "tests/e2e/profile.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

TestSuite(fine, .timeout = 300);

/* Results are spilled once a worker holds 40 MB of them. */
static void run_with(const char *directory, const char *python)
{
    static const char *const environment[] = {"DASK_DISTRIBUTED__WORKER__MEMORY__TARGET=0.01",
                                              "DASK_DISTRIBUTED__WORKER__MEMORY__SPILL=False",
                                              "DASK_DISTRIBUTED__WORKER__MEMORY__PAUSE=False",
                                              "DASK_DISTRIBUTED__WORKER__MEMORY__TERMINATE=False",
                                              "CUPPING_INTERVAL=0.1",
                                              NULL};
    struct cup_cluster cluster;
    char *out = cup_path(directory, "out.json");
    const char *const arguments[] = {out, NULL};
    cup_cluster_start(&cluster, &(struct cup_cluster_options){.directory = directory,
                                                              .python = python,
                                                              .workers = 2,
                                                              .memory = "4GB",
                                                              .environment = environment});
    cup_cluster_script(&cluster, "fine_job.py", arguments);
    cup_cluster_stop(&cluster);
    free(out);
}

static void run(const char *directory)
{
    run_with(directory, NULL);
}

static const char *text_of(json_t *row, const char *field)
{
    const char *text = json_string_value(json_object_get(row, field));
    return text ? text : "";
}

/* Rows by their key, as the job writes it. */
static json_t *by_key(json_t *rows)
{
    json_t *found = json_object(), *row;
    size_t i;
    json_array_foreach(rows, i, row)
    {
        char key[1024];
        snprintf(key, sizeof key, "%s|%s|%s|%s|%s", text_of(row, "context"),
                 text_of(row, "span_id"), text_of(row, "prefix"), text_of(row, "activity"),
                 text_of(row, "unit"));
        if (*text_of(row, "context"))
            json_object_set(found, key, json_object_get(row, "value"));
    }
    return found;
}

/* Of two workers: their sum does not depend on the order. */
static json_t *sums_of(json_t *workers)
{
    json_t *sums = json_object(), *digests, *value;
    const char *address, *key;
    json_object_foreach(workers, address, digests) json_object_foreach(digests, key, value)
    {
        double so_far = json_number_value(json_object_get(sums, key));
        json_object_set_new(sums, key, json_real(so_far + json_number_value(value)));
    }
    return sums;
}

/* To the last bit, and no key more or less. */
static void check_rows(json_t *fine, json_t *workers)
{
    json_t *found = by_key(json_object_get(fine, "rows")), *reported = sums_of(workers), *value;
    const char *key;
    int spilled = 0;
    cr_expect(json_object_size(reported) >= 12, "Dask reported %zu", json_object_size(reported));
    cr_expect(json_object_size(found) == json_object_size(reported), "%zu rows, not %zu",
              json_object_size(found), json_object_size(reported));
    json_object_foreach(reported, key, value)
    {
        json_t *row = json_object_get(found, key);
        cr_expect(row && json_number_value(row) == json_real_value(value), "%s: %.17g, not %.17g",
                  key, json_number_value(row), json_real_value(value));
        spilled += strstr(key, "disk-write|bytes") != NULL;
    }
    cr_expect(spilled > 0, "nothing was spilled");
    json_decref(found);
    json_decref(reported);
}

static double sum_where(json_t *workers, const char *ending)
{
    double sum = 0;
    json_t *digests, *value;
    const char *address, *key;
    json_object_foreach(workers, address, digests) json_object_foreach(digests, key, value)
    {
        size_t length = strlen(key), end = strlen(ending);
        if (length > end && strcmp(key + length - end, ending) == 0)
            sum += json_number_value(value);
    }
    return sum;
}

static void expect_near(json_t *row, const char *name, double expected)
{
    double value = cup_number(row, name);
    cr_expect(fabs(value - expected) <= 1e-9 * fmax(1, fabs(expected)), "%s is %.17g, not %.17g",
              name, value, expected);
}

static void check_totals(json_t *fine, json_t *workers)
{
    expect_near(fine, "thread_cpu_s", sum_where(workers, "|thread-cpu|seconds"));
    expect_near(fine, "thread_noncpu_s", sum_where(workers, "|thread-noncpu|seconds"));
    expect_near(fine, "disk_write_bytes", sum_where(workers, "|disk-write|bytes"));
    expect_near(fine, "disk_read_bytes", sum_where(workers, "|disk-read|bytes"));
    expect_near(fine, "serialize_s", sum_where(workers, "|serialize|seconds"));
    expect_near(fine, "network_s", sum_where(workers, "|network|seconds"));
    cr_expect(cup_number(fine, "disk_write_bytes") > 1e6);
    cr_expect_eq(cup_count(fine, "workers_told"), 2);
    cr_expect_eq(cup_count(fine, "workers_incomplete"), 0);
}

/* What the user measured, and nothing of Dask's. */
static void check_user(json_t *fine)
{
    json_t *rows = json_object_get(fine, "user_activities"), *row;
    size_t i;
    cr_expect_eq(json_array_size(rows), 2, "%zu", json_array_size(rows));
    json_array_foreach(rows, i, row)
    {
        cr_expect(cup_is(row, "prefix", "work") && cup_is(row, "span", "phase1/sub"));
        if (cup_is(row, "unit", "count"))
            cr_expect(cup_is(row, "activity", "('jets', 'good')") && cup_count(row, "value") == 72);
        else
            cr_expect(cup_is(row, "activity", "calibration") && cup_number(row, "value") > 0.4);
    }
}

static double metric_of(json_t *metrics, const char *activity, const char *unit)
{
    double sum = 0;
    json_t *value;
    const char *key;
    char part[128];
    snprintf(part, sizeof part, "|%s|%s", activity, unit);
    json_object_foreach(metrics, key, value) if (strstr(key, part)) sum += json_number_value(value);
    return sum;
}

/* What the scheduler has of each span: what other tools read. */
static void check_spans(json_t *fine, json_t *spans)
{
    json_t *rows = json_object_get(fine, "by_span"), *row;
    size_t i;
    int named = 0;
    json_array_foreach(rows, i, row)
    {
        json_t *reported = json_object_get(spans, cup_word(row, "span_id"));
        json_t *metrics = json_object_get(reported, "metrics");
        if (!reported)
            continue;
        named++;
        cr_expect(cup_is(row, "span", cup_word(reported, "name")));
        cr_expect_eq(cup_count(row, "tasks"), 24);
        cr_expect(cup_number(row, "wall_s") > 0 && cup_number(row, "poll_wait_s") >= 0);
        expect_near(row, "thread_cpu_s", metric_of(metrics, "thread-cpu", "seconds"));
        expect_near(row, "disk_write_bytes", metric_of(metrics, "disk-write", "bytes"));
        expect_near(row, "memory_read_bytes", metric_of(metrics, "memory-read", "bytes"));
        expect_near(row, "deserialize_s", metric_of(metrics, "deserialize", "seconds"));
    }
    cr_expect_eq(named, 2);
}

/* Our clocks are those that Dask reads. */
static void check_clocks(json_t *fine)
{
    json_t *rows = json_object_get(fine, "by_prefix"), *row;
    size_t i;
    int seen = 0;
    json_array_foreach(rows, i, row) if (cup_is(row, "prefix", "work"))
    {
        /* The user's own seconds are not in Dask's thread-cpu. */
        double ours = cup_number(row, "wall_s"),
               dask = cup_number(row, "thread_cpu_s") + cup_number(row, "thread_noncpu_s");
        cr_expect(dask < ours && dask > 0.1, "%g s and %g s", ours, dask);
        seen++;
    }
    else if (cup_is(row, "prefix", "size"))
    {
        double ratio = cup_number(row, "thread_cpu_ratio");
        cr_expect(ratio > 0.5 && ratio < 2, "size: %g", ratio);
        seen++;
    }
    cr_expect_eq(seen, 2);
}

static void check(char *directory)
{
    json_t *out = cup_json(directory, "out.json"), *report = cup_report(directory);
    json_t *fine = json_object_get(report, "fine"), *workers = json_object_get(out, "workers");
    check_rows(fine, workers);
    check_totals(fine, workers);
    check_user(fine);
    check_spans(fine, json_object_get(out, "spans"));
    check_clocks(fine);
    json_decref(report);
    json_decref(out);
    free(directory);
}

Test(fine, is_what_dask_says)
{
    check(cup_job("fine", run));
}

Test(fine, of_the_oldest_python)
{
    cup_only_in_soak();
    const char *python = CUP_PYTHON_3_9;
    if (access(python, X_OK))
        cr_skip_test("no Python 3.9 with Dask here (%s)", python);
    char *directory = cup_scratch("fine-3.9");
    run_with(directory, python);
    check(directory);
}

/* Calls of Coffea's Runner as the library saw them, compared with when they really began and
 * ended. */
#include "tests/e2e/cluster.h"
#include "tests/e2e/job.h"
#include "tests/e2e/profile.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

TestSuite(runs, .timeout = 300);

/* A clock's microseconds in a double, and the report's in a text. */
static const double rounding = 2e-6;

static double seconds_of(json_t *row, const char *name)
{
    struct tm when = {0};
    const char *rest = strptime(cup_word(row, name), "%Y-%m-%dT%H:%M:%S", &when);
    cr_assert(rest, "%s is no time: %s", name, cup_word(row, name));
    return (double)timegm(&when) + strtod(rest, NULL);
}

/* 0 if nothing is known: the thread read no clock before, or after. */
static double uncertainty(json_t *row, const char *name, bool must_be_known)
{
    json_t *value = json_object_get(row, name);
    cr_expect(value && (json_is_null(value) || json_number_value(value) >= 0));
    cr_expect(!must_be_known || json_is_number(value), "%s of run %lld is not known", name,
              (long long)cup_count(row, "run"));
    return json_number_value(value);
}

/* What was seen lies within the call, and the call within what it may have been. */
static void check_bounds(json_t *call, json_t *first, json_t *last, bool of_dask)
{
    const char *name = cup_word(call, "name");
    double start = cup_number(call, "start"), stop = cup_number(call, "stop");
    double from = seconds_of(first, "t_start"), to = seconds_of(last, "t_stop");
    /* A thread of its own may read no clock before the call, or after it. */
    bool must_be_known = of_dask && strcmp(name, "on a thread") != 0;
    double before = uncertainty(first, "start_uncertainty_s", must_be_known);
    double after = uncertainty(last, "stop_uncertainty_s", must_be_known);
    cr_expect(start <= from + rounding && to <= stop + rounding,
              "'%s' took from %.6f to %.6f, seen from %.6f to %.6f", name, start, stop, from, to);
    cr_expect(!before || from - before <= start + rounding,
              "'%s' is said to begin up to %g s earlier, and did %g s", name, before, from - start);
    cr_expect(!after || to + after >= stop - rounding,
              "'%s' is said to end up to %g s later, and did %g s", name, after, stop - to);
    cr_expect(to - from > (stop - start) / 2, "'%s' took %g s, seen were %g s", name, stop - start,
              to - from);
}

static void check(const char *directory, bool of_dask)
{
    json_t *report = cup_report(directory), *out = cup_json(directory, "out.json");
    json_t *rows = json_object_get(report, "runs"), *call;
    size_t i, at = 0;
    json_array_foreach(json_object_get(out, "calls"), i, call)
    {
        size_t count = (size_t)cup_count(call, "runs");
        cr_assert(at + count <= json_array_size(rows), "%zu runs", json_array_size(rows));
        check_bounds(call, json_array_get(rows, at), json_array_get(rows, at + count - 1), of_dask);
        at += count;
    }
    cr_expect(json_array_size(rows) == at, "%zu runs, not %zu", json_array_size(rows), at);
    json_decref(report);
    json_decref(out);
}

/* Two runs of the profile beside each other: what is asked for by its name can be drawn. */
static void check_plots(const char *directory)
{
    static const char *const names[] = {"compare", "compare-budget", "compare-runtime",
                                        "compare-flame-read"};
    char first[2200], second[2200], path[2300];
    char *out = cup_path(directory, "plots"), *log = cup_path(directory, "plot.log");
    snprintf(first, sizeof first, "%s/profile:1", directory);
    snprintf(second, sizeof second, "%s/profile:2", directory);
    const char *const argv[] = {CUP_BUILD "/cupping",
                                "plot",
                                first,
                                second,
                                "-o",
                                out,
                                names[0],
                                names[1],
                                names[2],
                                names[3],
                                "--format",
                                "svg",
                                NULL};
    cup_run("plot", log, argv, cup_clean_environment, 60);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        snprintf(path, sizeof path, "%s/%s.svg", out, names[i]);
        char *svg = cup_read_file(path);
        cr_expect(svg && strstr(svg, "</svg>"), "%s", path);
        free(svg);
    }
    free(out), free(log);
}

static void with_dask(const char *python)
{
    struct cup_cluster cluster;
    char *directory = cup_scratch("runs-dask"), *input = cup_input("ttree");
    char *out = cup_path(directory, "out.json"), *files = cup_path(input, "files.json");
    const char *const arguments[] = {out, files, NULL};
    struct cup_cluster_options options = {
        .directory = directory, .python = python, .threads = 2, .client_too = true};
    cup_cluster_start(&cluster, &options);
    cup_cluster_script(&cluster, "runner_job.py", arguments);
    cup_cluster_stop(&cluster);
    check(directory, true);
    check_plots(directory);
    free(directory), free(input), free(out), free(files);
}

Test(runs, of_a_dask_client)
{
    with_dask(CUP_PYTHON);
}

Test(runs, of_a_dask_client_on_another_python)
{
    cup_only_in_soak();
    const char *python = CUP_PYTHON_3_13;
    if (access(python, X_OK) != 0)
        cr_skip_test("no build/venv-3.13");
    with_dask(python);
}

static void without_dask(const char *where)
{
    char *directory = cup_scratch(where), *input = cup_input("ttree");
    char *out = cup_path(directory, "out.json"), *files = cup_path(input, "files.json");
    char *profile = cup_path(directory, "profile"), *log = cup_path(directory, "client.log");
    const char *const argv[] = {
        CUP_TOP "/wrappers/cupping-run",          "-o",  profile, "--",  cup_python(),
        CUP_TOP "/tests/workloads/runner_job.py", where, out,     files, NULL};
    cup_run(where, log, argv, cup_clean_environment, 200);
    check(directory, false);
    free(directory), free(input), free(out), free(files), free(profile), free(log);
}

Test(runs, of_an_iterative_executor)
{
    without_dask("iterative");
}

Test(runs, of_a_futures_executor)
{
    without_dask("futures");
}

/* ---- chunks that need more than one attempt ---------------------------------------------------
 */

static void check_attempts(json_t *report, json_t *reported)
{
    static const char *const same[] = {"bytesread", "entries", "chunks"};
    json_t *workflow = json_object_get(report, "workflow"), *row;
    json_t *coffea = json_object_get(report, "coffea");
    json_t *rows = json_object_get(json_object_get(report, "chunks"), "rows");
    json_int_t used = 0, unfinished = 0;
    size_t i;
    json_array_foreach(rows, i, row)
    {
        used += cup_is(row, "outcome", "used");
        unfinished += cup_is(row, "outcome", "unfinished");
    }
    for (i = 0; i < sizeof same / sizeof *same; i++)
        cr_expect(cup_count(coffea, same[i]) == cup_count(reported, same[i]),
                  "%s: Coffea says %lld, the chunks %lld", same[i],
                  (long long)cup_count(reported, same[i]), (long long)cup_count(coffea, same[i]));
    double difference = cup_number(coffea, "processtime") - cup_number(reported, "processtime");
    cr_expect(difference < 1e-5 && difference > -1e-5, "%g s", difference);
    cr_expect(used == cup_count(reported, "chunks") && used == cup_count(workflow, "num_chunks"));
    cr_expect(cup_count(workflow, "total_events") == cup_count(reported, "entries"));
    cr_expect(cup_count(workflow, "num_failed_chunks") == 1);
    cr_expect(cup_count(workflow, "num_retried_chunks") >= 2);
    cr_expect(unfinished == 1, "%lld chunks were killed", (long long)unfinished);
    cr_expect(json_array_size(json_object_get(report, "runs")) == 1);
}

Test(runs, chunks_tried_again_count_once)
{
    struct cup_cluster cluster;
    char *directory = cup_scratch("runs-attempts"), *input = cup_input("ttree");
    char *out = cup_path(directory, "out.json"), *files = cup_path(input, "files.json");
    const char *const arguments[] = {out, files, NULL};
    struct cup_cluster_options options = {.directory = directory, .workers = 2, .client_too = true};
    cup_cluster_start(&cluster, &options);
    cup_cluster_script(&cluster, "attempts_job.py", arguments);
    cup_cluster_stop(&cluster);
    json_t *report = cup_report(directory), *reported = cup_json(directory, "out.json");
    check_attempts(report, reported);
    json_decref(report), json_decref(reported);
    free(directory), free(input), free(out), free(files);
}

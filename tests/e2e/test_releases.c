/* Releases of Dask and Coffea whose workers keep the outcome of a task elsewhere than today's
 * (docs/releases.md): what is recorded there is as exact as with the newest. */
#include "tests/e2e/cluster.h"
#include "tests/e2e/job.h"
#include "tests/e2e/profile.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

TestSuite(releases, .timeout = 300);

static const char *python; /* of the job under test */

static void run(const char *directory)
{
    struct cup_cluster cluster;
    char *input = cup_input("ttree"), *files = cup_path(input, "files.json");
    char *out = cup_path(directory, "out.json");
    const char *const arguments[] = {out, files, NULL};
    cup_cluster_start(
        &cluster, &(struct cup_cluster_options){
                      .directory = directory, .python = python, .threads = 2, .client_too = true});
    cup_cluster_script(&cluster, "releases_job.py", arguments);
    cup_cluster_stop(&cluster);
    free(out), free(files), free(input);
}

/* ---- checks ------------------------------------------------------------------------------ */

static json_int_t count_rows(json_t *rows, const char *prefix, const char *status)
{
    size_t i;
    json_t *row;
    json_int_t count = 0;
    json_array_foreach(rows, i, row) count +=
        cup_is(row, "prefix", prefix) && cup_is(row, "status", status);
    return count;
}

static void check_outcomes(json_t *rows, json_t *tasks)
{
    const char *prefix;
    json_t *expected;
    json_object_foreach(tasks, prefix, expected)
    {
        static const char *const statuses[] = {"finished", "erred"};
        for (int i = 0; i < 2; i++)
            cr_expect_eq(count_rows(rows, prefix, statuses[i]), cup_count(expected, statuses[i]),
                         "%s: another number of tasks %s", prefix, statuses[i]);
        cr_expect_eq(count_rows(rows, prefix, "unknown"), 0, "%s", prefix);
    }
}

static void check_rows(json_t *rows)
{
    size_t i;
    json_t *row;
    json_array_foreach(rows, i, row)
    {
        if (cup_is(row, "prefix", "big"))
            cr_expect(cup_count(row, "result_bytes") >= 1000000);
        cr_expect(json_is_null(json_object_get(row, "cpu_s")) == cup_is(row, "prefix", "later"));
    }
}

/* The text of the report lists tasks that failed, with their exceptions. */
static void check_errors(const char *directory)
{
    char command[4096], line[1024];
    int found = 0;
    snprintf(command, sizeof command,
             CUP_TOP "/build/cupping report %s/profile --run all --only tasks", directory);
    FILE *report = popen(command, "r");
    cr_assert_not_null(report);
    while (fgets(line, sizeof line, report))
        found += strstr(line, "ValueError('boom ") != NULL || strstr(line, "OSError('fails once')");
    pclose(report);
    cr_expect_eq(found, 4, "%d errors", found);
}

static json_int_t count_at(json_t *report, const char *object, const char *name)
{
    return json_integer_value(json_object_get(json_object_get(report, object), name));
}

static void check_coffea(json_t *report, json_t *metrics)
{
    json_t *completeness = json_object_get(report, "completeness");
    json_int_t events = cup_count(metrics, "entries");
    cr_expect(cup_is(completeness, "state", "complete"), "%s", cup_word(completeness, "sentence"));
    cr_expect_eq(cup_count(completeness, "planned_events"), events);
    cr_expect_eq(cup_count(completeness, "done_events"), events);
    cr_expect_eq(count_at(report, "workflow", "total_events"), events);
    cr_expect_eq(count_at(report, "workflow", "total_bytes_read_coffea"),
                 cup_count(metrics, "bytesread"));
    cr_expect_eq(cup_count(completeness, "done_chunks"), cup_count(metrics, "chunks"));
}

static void check(const char *venv)
{
    const char *const all[] = {"--run", "all", NULL};
    char path[1024];
    snprintf(path, sizeof path, "%s/build/%s/bin/python", CUP_TOP, venv);
    if (access(path, X_OK) != 0)
        cr_skip_test("no build/%s", venv);
    python = path;
    char *directory = cup_job(venv, run);
    json_t *rows = cup_tasks(directory), *out = cup_json(directory, "out.json");
    json_t *report = cup_report_with(directory, all);
    check_outcomes(rows, json_object_get(out, "tasks"));
    check_rows(rows);
    check_errors(directory);
    check_coffea(report, json_object_get(out, "metrics"));
    json_decref(report), json_decref(rows), json_decref(out);
    free(directory);
}

/* Dask's worker reads the time itself, without a meter. */
Test(releases, oldest)
{
    check("venv-2022.1");
}

/* Dask's worker makes its message after the clock call. */
Test(releases, with_a_late_message)
{
    check("venv-2024.2");
}

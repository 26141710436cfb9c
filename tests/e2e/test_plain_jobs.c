/* Jobs of plain Dask: which file, and which entries of it, each task was given. */
#include "tests/e2e/cluster.h"
#include "tests/e2e/job.h"
#include "tests/e2e/profile.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

TestSuite(plain_jobs, .timeout = 300);

static bool is_row_of(json_t *row, json_t *expected)
{
    const char *name;
    json_t *value;
    json_object_foreach(expected, name,
                        value) if (!json_equal(value, json_object_get(row, name))) return false;
    return true;
}

/* Exactly one chunk for each that is expected, which has read its file, and no other. */
static void check_chunks(json_t *chunks, json_t *expected)
{
    size_t i, j;
    json_t *each, *row;
    json_array_foreach(expected, i, each)
    {
        size_t found = 0;
        json_array_foreach(chunks, j, row)
        {
            if (!is_row_of(row, each))
                continue;
            found++;
            cr_expect(cup_count(row, "read_bytes") > 0);
        }
        cr_expect(found == 1, "%zu chunks for %s from %lld on", found, cup_word(each, "file"),
                  json_integer_value(json_object_get(each, "entry_start")));
    }
    cr_expect(json_array_size(chunks) == json_array_size(expected), "%zu chunks, not %zu",
              json_array_size(chunks), json_array_size(expected));
}

static json_int_t events_of(json_t *expected)
{
    size_t i;
    json_t *each;
    json_int_t events = 0;
    json_array_foreach(expected, i, each)
    {
        json_t *start = json_object_get(each, "entry_start");
        if (json_is_null(start))
            return -1;
        events += cup_count(each, "entry_stop") - json_integer_value(start);
    }
    return json_array_size(expected) ? events : -1;
}

/* What needs no Coffea is known; what only Coffea or entries tell is null. */
static void check_report(json_t *report, json_t *expected)
{
    static const char *const known[] = {"wall_time", "total_task_time", "total_thread_cpu_time",
                                        "total_bytes_read"};
    json_t *workflow = json_object_get(report, "workflow");
    json_t *events = json_object_get(workflow, "total_events");
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        cr_expect(json_is_number(json_object_get(workflow, known[i])), "no %s", known[i]);
    cr_expect(json_is_number(
        json_object_get(json_object_get(report, "efficiency"), "thread_cpu_efficiency")));
    cr_expect(cup_count(json_object_get(report, "health"), "anchor_errors") == 0);
    if (events_of(expected) < 0)
        cr_expect(!json_is_integer(events) || json_integer_value(events) == 0);
    else
        cr_expect(json_integer_value(events) == events_of(expected));
}

static void check(const char *python, const char *kind)
{
    struct cup_cluster cluster;
    char *directory = cup_scratch("plain-job"), *input = cup_input("ttree");
    char *out = cup_path(directory, "out.json"), *files = cup_path(input, "files.json");
    const char *const arguments[] = {out, files, kind, NULL};
    struct cup_cluster_options options = {.directory = directory, .python = python, .threads = 2};
    if (access(python, X_OK) != 0)
        cr_skip_test("no %s", python);
    cup_cluster_start(&cluster, &options);
    cup_cluster_script(&cluster, "plain_job.py", arguments);
    cup_cluster_stop(&cluster);
    json_t *report = cup_report(directory), *reported = cup_json(directory, "out.json");
    json_t *expected = json_object_get(reported, "expected");
    check_chunks(json_object_get(json_object_get(report, "chunks"), "rows"), expected);
    check_report(report, expected);
    json_decref(report), json_decref(reported);
    free(directory), free(input), free(out), free(files);
}

Test(plain_jobs, arrays_of_trees_that_the_client_opened)
{
    check(CUP_PYTHON, "opened");
}

Test(plain_jobs, arrays_of_trees_in_steps)
{
    check(CUP_PYTHON, "steps");
}

Test(plain_jobs, arrays_of_trees_in_steps_on_the_newest_python)
{
    cup_only_in_soak();
    check(CUP_PYTHON_3_13, "steps");
}

Test(plain_jobs, arrays_of_trees_in_steps_on_the_oldest_python)
{
    cup_only_in_soak();
    check(CUP_PYTHON_3_9, "steps");
}

Test(plain_jobs, delayed_calls_with_a_path)
{
    check(CUP_PYTHON, "delayed");
}

Test(plain_jobs, delayed_calls_with_a_path_on_the_oldest_python)
{
    cup_only_in_soak();
    check(CUP_PYTHON_3_9, "delayed");
}

Test(plain_jobs, a_map_over_paths)
{
    check(CUP_PYTHON, "mapped");
}

Test(plain_jobs, a_map_over_paths_on_the_newest_python)
{
    cup_only_in_soak();
    check(CUP_PYTHON_3_13, "mapped");
}

Test(plain_jobs, paths_within_lists_and_dicts)
{
    check(CUP_PYTHON, "nested");
}

Test(plain_jobs, a_path_of_any_name_that_the_task_opens)
{
    check(CUP_PYTHON, "unnamed");
}

Test(plain_jobs, arrays_that_read_nothing)
{
    check(CUP_PYTHON, "arrays");
}

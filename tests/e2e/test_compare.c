/* Did a change help? Runs of one real job, three without and three with a sleep in each chunk. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/e2e/child.h"
#include "tests/e2e/cluster.h"
#include "tests/e2e/job.h"
#include "tests/e2e/profile.h"

TestSuite(compare_runs, .timeout = 300);

static void run_job(const char *directory)
{
    struct cup_cluster cluster;
    char *input = cup_input("ttree"), *files = cup_path(input, "files.json");
    const char *const arguments[] = {files, NULL};
    struct cup_cluster_options options = {.directory = directory, .threads = 2, .client_too = true};
    cup_cluster_start(&cluster, &options);
    cup_cluster_script(&cluster, "compare_job.py", arguments);
    cup_cluster_stop(&cluster);
    free(input), free(files);
}

/* "DIRECTORY/profile:N"; the first run, which imports, is left out. */
static const char *of_run(int n)
{
    static char words[8][2200];
    char *directory = cup_job("compare", run_job);
    snprintf(words[n], sizeof words[n], "%s/profile:%d", directory, n);
    free(directory);
    return words[n];
}

static struct child compared(const char *const *more)
{
    struct child child = {.argv = {CUP_BUILD "/cupping", "compare", of_run(2), of_run(3), of_run(4),
                                   "--", of_run(5), of_run(6), of_run(7)},
                          .settings = {"COLUMNS=400"}};
    for (size_t i = 0; more[i]; i++)
        child.argv[9 + i] = more[i];
    child_run(&child);
    return child;
}

static void expect_status(const struct child *child, int status)
{
    cr_expect_eq(child->status, status << 8, "%x: %s", (unsigned)child->status, child->err);
}

static void expect_part(const char *text, const char *part)
{
    cr_expect(strstr(text, part), "no %s in\n%s", part, text);
}

/* 30,000 events in six files: at least three sleeps of half a second one after the other. */
Test(compare_runs, a_slower_side_is_slower_by_more_than_its_spread)
{
    struct child child = compared((const char *const[]){"--fail-on", "slower,incomplete", NULL});
    expect_status(&child, 3);
    expect_part(child.err, "--fail-on: B: slower than the baseline (slower)");
    expect_part(child.out, "\nB takes ");
    expect_part(child.out, " times as long as A (");
    expect_part(child.out, "), more than the runs' own spread of ");
    expect_part(child.out, ": more sleeping (+");
    expect_part(child.out, "\nSettings\n");
    expect_part(child.out, "memory limit of a worker");
    child_free(&child);
}

Test(compare_runs, json_has_the_medians_and_each_run)
{
    struct child child = compared((const char *const[]){"--json", "-", NULL});
    expect_status(&child, 0);
    json_t *root = json_loads(child.out, 0, NULL);
    cr_assert(root, "%s", child.out);
    cr_expect_eq(json_array_size(json_object_get(root, "differences")), 0);
    const json_t *row;
    size_t i;
    json_array_foreach(json_object_get(root, "figures"), i, row)
    {
        if (strcmp(json_string_value(json_object_get(row, "name")), "wall_time") != 0)
            continue;
        const json_t *values = json_object_get(row, "values");
        const json_t *runs = json_array_get(json_object_get(row, "run_values"), 1);
        double median = json_number_value(json_array_get(values, 1));
        size_t k, below = 0, above = 0;
        const json_t *one;
        json_array_foreach(runs, k, one)
        {
            below += json_number_value(one) <= median;
            above += json_number_value(one) >= median;
        }
        cr_expect(k == 3 && below >= 2 && above >= 2, "%zu runs, %zu, %zu", k, below, above);
        cr_expect_geq(median, 1.5);
    }
    json_decref(root);
    child_free(&child);
}

/* One run a side: what cannot be known is not said, and no script may rest on it. */
Test(compare_runs, one_run_a_side_is_not_judged)
{
    struct child child = {.argv = {CUP_BUILD "/cupping", "compare", of_run(2), of_run(5)},
                          .settings = {"COLUMNS=400"}};
    child_run(&child);
    expect_status(&child, 0);
    expect_part(child.out, "Whether runs of the same job differ");
    child_free(&child);
    struct child script = {
        .argv = {CUP_BUILD "/cupping", "compare", of_run(2), of_run(5), "--fail-on", "slower"}};
    child_run(&script);
    expect_status(&script, 2);
    expect_part(script.err, "name two or more a side");
    child_free(&script);
}

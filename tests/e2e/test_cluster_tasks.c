/* Every kind of task on a real worker with eight threads: what it read, computed and allocated
 * is compared with what the workload knows and with what Dask itself recorded. */
#include "tests/e2e/cluster.h"
#include "tests/e2e/job.h"
#include "tests/e2e/profile.h"
#include "tests/e2e/witness.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

TestSuite(cluster_tasks, .timeout = 300);

struct parts {
    char *directory;
    json_t *rows, *out;
};

/* ---- the job ----------------------------------------------------------------------------------
 */

/* A file that no task can have whole: each reads its own number of bytes. */
static char *write_data(const char *directory)
{
    enum { SIZE = 3000000 };
    char *path = cup_path(directory, "data.bin");
    FILE *file = fopen(path, "we");
    unsigned state = 1;
    for (int i = 0; file && i < SIZE; i++)
        putc((int)((state = state * 1103515245u + 12345u) >> 24), file);
    if (!file || fclose(file))
        cr_assert_fail("cannot write %s", path);
    return path;
}

static void run_with(const char *directory, struct cup_cluster_options options)
{
    struct cup_cluster cluster;
    char *data = write_data(directory), *out = cup_path(directory, "out.json");
    const char *const arguments[] = {out, data, NULL};
    options.directory = directory;
    options.threads = 8;
    cup_cluster_start(&cluster, &options);
    cup_cluster_script(&cluster, "dask_job.py", arguments);
    cup_cluster_stop(&cluster);
    free(data);
    free(out);
}

static void run(const char *directory)
{
    run_with(directory, (struct cup_cluster_options){0});
}

static struct parts load(char *directory)
{
    return (struct parts){directory, cup_tasks(directory), cup_json(directory, "out.json")};
}

static void drop(struct parts *parts)
{
    json_decref(parts->rows);
    json_decref(parts->out);
    free(parts->directory);
}

/* ---- its checks ---------------------------------------------------------------------------------
 */

Test(cluster_tasks, each_reads_and_allocates_what_it_must)
{
    struct parts parts = load(cup_job("tasks", run));
    cup_check_expected(parts.rows, json_object_get(parts.out, "expected"));
    drop(&parts);
}

Test(cluster_tasks, rows_are_what_dask_ran)
{
    struct parts parts = load(cup_job("tasks", run));
    cr_expect(json_object_size(json_object_get(parts.out, "skipped")) == 0, "no shuffle was run");
    cup_check_witness(parts.rows, json_object_get(parts.out, "witness"));
    drop(&parts);
}

Test(cluster_tasks, cpu_seconds_are_those_of_dask)
{
    struct parts parts = load(cup_job("tasks", run));
    int compared = cup_check_digests(parts.rows, json_object_get(parts.out, "witness"));
    cr_expect(compared >= 15, "only %d prefixes could be compared", compared);
    drop(&parts);
}

Test(cluster_tasks, every_row_is_sane)
{
    struct parts parts = load(cup_job("tasks", run));
    cup_check_sane(parts.rows);
    drop(&parts);
}

/* ---- launched without the wrapper, and other Pythons --------------------------------------------
 */

static void check_all(char *directory, int prefixes)
{
    struct parts parts = load(directory);
    cup_check_expected(parts.rows, json_object_get(parts.out, "expected"));
    cup_check_witness(parts.rows, json_object_get(parts.out, "witness"));
    cr_expect(cup_check_digests(parts.rows, json_object_get(parts.out, "witness")) >= prefixes);
    cup_check_sane(parts.rows);
    drop(&parts);
}

Test(cluster_tasks, launched_by_environment_alone)
{
    char *directory = cup_scratch("tasks-environment");
    run_with(directory, (struct cup_cluster_options){.launch = CUP_BY_ENVIRONMENT});
    check_all(directory, 15);
}

/* PYTHON can run the job, or the test is skipped and says why. */
static void check_python(const char *python, const char *version, const char *scratch)
{
    if (access(python, X_OK))
        cr_skip_test("no Python %s with Dask here (%s)", version, python);
    char *directory = cup_scratch(scratch);
    run_with(directory, (struct cup_cluster_options){.python = python});
    json_t *out = cup_json(directory, "out.json");
    cr_expect(strncmp(cup_word(out, "python"), version, strlen(version)) == 0);
    json_decref(out);
    check_all(directory, 10);
}

Test(cluster_tasks, oldest_python)
{
    check_python(CUP_PYTHON_3_9, "3.9.", "tasks-3.9");
}

Test(cluster_tasks, newest_python)
{
    char *newest = CUP_PYTHON_3_13;
    check_python(newest, "3.13.", "tasks-3.13");
}

/* Where files were read, and when: the logs of a real cluster are compared with what its tasks
 * did, in order, backwards, twice, at random, on threads, through fsspec and uproot, and before
 * a worker was killed. */
#include "tests/e2e/child.h"

#include <criterion/criterion.h>
#include <string.h>
#include <sys/stat.h>

TestSuite(access, .timeout = 240);

#define WORKLOADS CUP_TOP "/tests/workloads/"

static void expect_picture(const char *profile, const char *pictures, const char *name)
{
    struct stat status;
    struct child plot = {.argv = {CUP_BUILD "/cupping", "plot", profile, name, "-o", pictures}};
    child_run(&plot);
    cr_expect_eq(plot.status, 0, "%s: %s", name, plot.err);
    cr_expect_str_eq(plot.err, "");
    cr_expect(stat(text("%s/%s.png", pictures, name), &status) == 0 && status.st_size > 5000);
    child_free(&plot);
}

static void expect_no_picture(const char *profile, const char *pictures, const char *name,
                              const char *why)
{
    struct child plot = {.argv = {CUP_BUILD "/cupping", "plot", profile, name, "-o", pictures}};
    child_run(&plot);
    cr_expect_neq(plot.status, 0);
    cr_expect_not_null(strstr(plot.err, why), "%s", plot.err);
    child_free(&plot);
}

Test(access, extents_are_what_was_done)
{
    char *logs = test_directory(), *files = test_directory();
    struct child plain = {.argv = {CUP_PYTHON, WORKLOADS "access_job.py", files}};
    struct child job = child_recorded(&plain, logs);
    child_run(&job);
    cr_assert_eq(job.status, 0, "%s", job.err);
    struct child check = {.argv = {CUP_PYTHON, WORKLOADS "access_check.py", CUP_BUILD "/cupping",
                                   logs, text("%s/expected.json", files)}};
    child_run(&check);
    cr_expect_str_eq(check.out, "12 tasks, 13 files\n");
    cr_expect_eq(check.status, 0, "%s", check.err);
    expect_picture(logs, files, "io-map");
    expect_no_picture(logs, files, "server-rate",
                      "all files were local or mounted, so there is no storage server: data-rate "
                      "shows how fast they were read");
    expect_picture(logs, files, "data-rate");
    child_free(&check);
    child_free(&job);
    test_directory_remove(files);
    test_directory_remove(logs);
}

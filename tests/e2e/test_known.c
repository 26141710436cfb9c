/* Programs whose functions do known work, on a real cluster of two workers.
 * tests/workloads/known_check.py compares the report with it. */
#include "tests/e2e/cluster.h"
#include "tests/e2e/job.h"

#include <criterion/criterion.h>
#include <stdlib.h>

TestSuite(known, .timeout = 300);

static void run_with(const char *directory, const char *python)
{
    struct cup_cluster cluster;
    char *files = cup_input("ttree");
    const char *const arguments[] = {files, directory, NULL};
    const char *const often[] = {"CUPPING_CPU_HZ=100", "CUPPING_STACKS=all", NULL};
    cup_cluster_start(&cluster, &(struct cup_cluster_options){.directory = directory,
                                                              .python = python,
                                                              .workers = 2,
                                                              .environment = often});
    cup_cluster_script(&cluster, "known_job.py", arguments);
    cup_cluster_stop(&cluster);
    free(files);
}

static void run_3_11(const char *directory)
{
    run_with(directory, CUP_PYTHON);
}

static void run_3_9(const char *directory)
{
    run_with(directory, CUP_PYTHON_3_9);
}

static void run_3_13(const char *directory)
{
    run_with(directory, CUP_PYTHON_3_13);
}

static void run_3_14(const char *directory)
{
    run_with(directory, CUP_PYTHON_3_14);
}

static void check(const char *name, void (*run)(const char *directory), const char *what)
{
    char *directory = cup_job(name, run), *log = cup_path(directory, what);
    const char *const argv[] = {CUP_PYTHON,
                                CUP_TOP "/tests/workloads/known_check.py",
                                directory,
                                what,
                                CUP_BUILD "/cupping",
                                NULL};
    cup_run("known_check.py", log, argv, cup_clean_environment, 120);
    free(log), free(directory);
}

Test(known, processor_of_50_30_and_20_percent)
{
    check("known-3_11", run_3_11, "processor");
}

Test(known, processor_on_3_14)
{
    cup_only_in_soak();
    cup_need_python(CUP_PYTHON_3_14);
    check("known-3_14", run_3_14, "processor");
}

Test(known, processor_on_3_13)
{
    cup_only_in_soak();
    cup_need_python(CUP_PYTHON_3_13);
    check("known-3_13", run_3_13, "processor");
}

Test(known, ways_to_be_called)
{
    check("known-3_11", run_3_11, "tasks");
}

Test(known, ways_on_3_9)
{
    cup_only_in_soak();
    cup_need_python(CUP_PYTHON_3_9);
    check("known-3_9", run_3_9, "tasks");
}

Test(known, ways_on_3_13)
{
    cup_only_in_soak();
    cup_need_python(CUP_PYTHON_3_13);
    check("known-3_13", run_3_13, "tasks");
}

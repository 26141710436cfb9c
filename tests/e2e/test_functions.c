/* What the report and the exports say of functions, of a job on a real cluster of which it is known
 * what each did: tests/workloads/functions_check.py judges. The job is that of stack_uses. */
#include "tests/e2e/cluster.h"
#include "tests/e2e/job.h"

#include <criterion/criterion.h>
#include <stdlib.h>

TestSuite(functions, .timeout = 300);

static void run_with(const char *directory, const char *python)
{
    struct cup_cluster cluster;
    char *files = cup_input("ttree");
    const char *const arguments[] = {files, directory, NULL};
    cup_cluster_start(&cluster, &(struct cup_cluster_options){
                                    .directory = directory, .python = python, .threads = 2});
    cup_cluster_script(&cluster, "uses_job.py", arguments);
    cup_cluster_stop(&cluster);
    free(files);
}

static void run_3_11(const char *directory)
{
    run_with(directory, CUP_PYTHON);
}

static void run_3_9(const char *directory)
{
    run_with(directory, CUP_TOP "/build/venv-3.9/bin/python");
}

static void run_3_13(const char *directory)
{
    run_with(directory, CUP_TOP "/build/venv-3.13/bin/python");
}

static void check(const char *name, void (*run)(const char *directory))
{
    char *directory = cup_job(name, run), *log = cup_path(directory, "functions");
    const char *const argv[] = {CUP_PYTHON, CUP_TOP "/tests/workloads/functions_check.py",
                                directory, CUP_BUILD "/cupping", NULL};
    cup_run("functions_check.py", log, argv, cup_clean_environment, 120);
    free(log), free(directory);
}

Test(functions, python_3_11)
{
    check("stack-uses-3_11", run_3_11);
}

Test(functions, python_3_9)
{
    cup_only_in_soak();
    check("stack-uses-3_9", run_3_9);
}

Test(functions, python_3_13)
{
    check("stack-uses-3_13", run_3_13);
}

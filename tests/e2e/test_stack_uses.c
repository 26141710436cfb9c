/* At which stacks tasks read, allocate and use the CPU: on real clusters, of jobs of which it is
 * known what each function did. Of the figures of the logs themselves tests/workloads/uses_check.py
 * judges, of what the report and the exports say functions_check.py. */
#include "tests/e2e/cluster.h"
#include "tests/e2e/job.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>

TestSuite(stack_uses, .timeout = 300);

static void run_with(const char *directory, const char *python)
{
    struct cup_cluster cluster;
    char *files = cup_input("ttree");
    const char *const arguments[] = {files, directory, NULL};
    /* The limits for allocations are those of samples without a budget; unit tests have the budget.
     */
    const char *const often[] = {"CUPPING_CPU_HZ=100", "CUPPING_STACKS=all", NULL};
    cup_cluster_start(&cluster, &(struct cup_cluster_options){.directory = directory,
                                                              .python = python,
                                                              .threads = 2,
                                                              .environment = often});
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
    run_with(directory, CUP_PYTHON_3_9);
}

static void run_3_13(const char *directory)
{
    run_with(directory, CUP_PYTHON_3_13);
}

static void check(const char *name, void (*run)(const char *directory), const char *python,
                  const char *kind)
{
    cup_need_python(python);
    char *directory = cup_job(name, run), *log = cup_path(directory, kind);
    const char *const argv[] = {
        python, CUP_TOP "/tests/workloads/uses_check.py", directory, kind, CUP_BUILD "/cupping",
        NULL};
    cup_run("uses_check.py", log, argv, cup_clean_environment, 120);
    free(log), free(directory);
}

static void check_functions(const char *name, void (*run)(const char *directory),
                            const char *python)
{
    cup_need_python(python);
    char *directory = cup_job(name, run), *log = cup_path(directory, "functions");
    const char *const argv[] = {CUP_PYTHON, CUP_TOP "/tests/workloads/functions_check.py",
                                directory, CUP_BUILD "/cupping", NULL};
    cup_run("functions_check.py", log, argv, cup_clean_environment, 120);
    free(log), free(directory);
}

#define CASES(version, python, when)                                                               \
    Test(stack_uses, bytes_by_line_##version)                                                      \
    {                                                                                              \
        when;                                                                                      \
        check("stack-uses-" #version, run_##version, python, "lines");                             \
    }                                                                                              \
    Test(stack_uses, allocations_##version)                                                        \
    {                                                                                              \
        when;                                                                                      \
        check("stack-uses-" #version, run_##version, python, "alloc");                             \
    }                                                                                              \
    Test(stack_uses, cpu_##version)                                                                \
    {                                                                                              \
        when;                                                                                      \
        check("stack-uses-" #version, run_##version, python, "cpu");                               \
    }                                                                                              \
    Test(stack_uses, functions_##version)                                                          \
    {                                                                                              \
        when;                                                                                      \
        check_functions("stack-uses-" #version, run_##version, python);                            \
    }
CASES(3_11, CUP_PYTHON, (void)0)
CASES(3_9, CUP_PYTHON_3_9, cup_only_in_soak())
CASES(3_13, CUP_PYTHON_3_13, (void)0)

static const char MOST_OFTEN[] = "CUPPING_CPU_HZ=1000";

/* A program that runs for some seconds, sampled HZ times a second, and then judges its logs. */
static void check_samples(const char *name, const char *python, const char *program, const char *hz)
{
    cup_need_python(python);
    char *directory = cup_scratch(name), *log = cup_path(directory, "log");
    char *profile = NULL;
    if (asprintf(&profile, "CUPPING_DIR=%s", directory) < 0)
        cr_assert_fail("out of memory");
    const char *const run[] = {python, "-Werror", program, "3", NULL};
    const char *const environment[] = {"LD_PRELOAD=" CUP_BUILD "/libcupping.so", profile, hz, NULL};
    const char *const check[] = {python, program, "--check", directory, NULL};
    cup_run(program, log, run, environment, 120);
    cup_run("--check", log, check, cup_clean_environment, 120);
    free(profile), free(log), free(directory);
}

/* Stacks that change all the time, threads that come and go, forks: never a stack that was not. */
static void check_churn(const char *name, const char *python)
{
    check_samples(name, python, CUP_TOP "/tests/workloads/uses_churn.py", MOST_OFTEN);
}

/* Functions of a few bytecodes: their shares of the CPU time, and no stack that never was. */
static void check_shares(const char *name, const char *python)
{
    check_samples(name, python, CUP_TOP "/tests/workloads/sampler_truth.py", MOST_OFTEN);
}

Test(stack_uses, churn_3_11)
{
    check_churn("stack-churn-3_11", CUP_PYTHON);
}

Test(stack_uses, churn_3_9)
{
    cup_only_in_soak();
    check_churn("stack-churn-3_9", CUP_PYTHON_3_9);
}

Test(stack_uses, churn_3_13)
{
    check_churn("stack-churn-3_13", CUP_PYTHON_3_13);
}

Test(stack_uses, shares_3_11)
{
    check_shares("stack-shares-3_11", CUP_PYTHON);
}

Test(stack_uses, shares_3_9)
{
    cup_only_in_soak();
    check_shares("stack-shares-3_9", CUP_PYTHON_3_9);
}

Test(stack_uses, shares_3_13)
{
    check_shares("stack-shares-3_13", CUP_PYTHON_3_13);
}

/* CPU time of threads that end before they are looked at again. */
static void check_ends(const char *name, const char *python)
{
    check_samples(name, python, CUP_TOP "/tests/workloads/uses_ends.py", "CUPPING_CPU_HZ=100");
}

Test(stack_uses, ends_of_threads_3_11)
{
    check_ends("stack-ends-3_11", CUP_PYTHON);
}

Test(stack_uses, ends_of_threads_3_9)
{
    cup_only_in_soak();
    check_ends("stack-ends-3_9", CUP_PYTHON_3_9);
}

Test(stack_uses, ends_of_threads_3_13)
{
    check_ends("stack-ends-3_13", CUP_PYTHON_3_13);
}

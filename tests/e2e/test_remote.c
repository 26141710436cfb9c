/* A cluster that runs already: its workers get the library, and lose it again. */
#include "tests/e2e/cluster.h"
#include "tests/e2e/job.h"
#include "tests/e2e/process.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>

TestSuite(remote, .timeout = 900);

/* remote_job.py compares; without allowed failures, a task that is lost with its worker fails. */
static void attach_and_detach(const char *name, const char *python, int threads)
{
    static const char *const environment[] = {"DASK_DISTRIBUTED__SCHEDULER__ALLOWED_FAILURES=0",
                                              NULL};
    struct cup_cluster cluster;
    char *directory = cup_scratch(name);
    const char *const arguments[] = {CUP_BUILD "/cupping", directory, NULL};
    cup_cluster_start(&cluster, &(struct cup_cluster_options){.directory = directory,
                                                              .python = python,
                                                              .workers = 2,
                                                              .threads = threads,
                                                              .launch = CUP_NOT_PROFILED,
                                                              .environment = environment});
    cup_cluster_script(&cluster, "remote_job.py", arguments);
    cup_cluster_stop(&cluster);
    free(directory);
}

Test(remote, attaches_to_a_cluster_that_runs)
{
    attach_and_detach("remote", NULL, 2);
}

Test(remote, attaches_with_the_oldest_distributed)
{
    static const char python[] = CUP_TOP "/build/venv-2024.2/bin/python";
    cup_only_in_soak();
    cup_need_python(python);
    attach_and_detach("remote-oldest", python, 4);
}

Test(remote, attaches_with_another_python)
{
    cup_only_in_soak();
    cup_need_python(CUP_PYTHON_3_9);
    attach_and_detach("remote-3.9", CUP_PYTHON_3_9, 1);
}

/* Clusters that a program starts for itself; attach_job.py compares. */
static void attach_to_own_cluster(const char *kind)
{
    char name[64];
    snprintf(name, sizeof name, "attach-%s", kind);
    char *directory = cup_scratch(name), *log = cup_path(directory, "script.log");
    cup_run(name, log,
            (const char *const[]){cup_python(), CUP_TOP "/tests/workloads/attach_job.py", kind,
                                  CUP_BUILD "/cupping", directory, NULL},
            cup_clean_environment, 840);
    free(directory), free(log);
}

Test(remote, attaches_to_a_local_cluster_whose_workers_are_slow_to_start)
{
    attach_to_own_cluster("local");
}

Test(remote, attaches_to_a_cluster_that_adapts)
{
    attach_to_own_cluster("adaptive");
}

Test(remote, attaches_to_workers_in_job_scripts)
{
    attach_to_own_cluster("jobqueue");
}

/* Merged logs of real workers, on real workers. */
#include "tests/e2e/cluster.h"
#include "tests/e2e/job.h"

#include <criterion/criterion.h>
#include <stdlib.h>

TestSuite(merge, .timeout = 600);

/* The workload checks what it merged. */
Test(merge, workers_merge_their_logs_and_one_comes_home)
{
    char *scratch = cup_scratch("reduce");
    char *log = cup_path(scratch, "reduce.log");
    const char *const argv[] = {cup_python(), CUP_TOP "/tests/workloads/reduce_job.py",
                                CUP_TOP "/wrappers/cupping-run", scratch, NULL};
    cup_run("reduce_job.py", log, argv, cup_clean_environment, 540);
    free(log), free(scratch);
}

/* Logs that come home over Dask while the job runs. */
#include "tests/e2e/cluster.h"
#include "tests/e2e/job.h"

#include <criterion/criterion.h>
#include <stdlib.h>

TestSuite(collect, .timeout = 300);

/* What nannies and client say to each other, without a cluster. */
Test(collect, copies_are_equal_when_answers_are_lost_and_nannies_vanish)
{
    char *scratch = cup_scratch("collect-check");
    char *log = cup_path(scratch, "check.log");
    const char *const argv[] = {cup_python(), CUP_TOP "/tests/workloads/collect_check.py", scratch,
                                NULL};
    cup_run("collect_check.py", log, argv, cup_clean_environment, 240);
    free(log), free(scratch);
}

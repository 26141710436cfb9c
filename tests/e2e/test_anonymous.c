/* `cupping merge --anonymize`: a profile with secrets in all places, and none in what is sent on.
 */
#include "tests/e2e/cluster.h"
#include "tests/e2e/job.h"
#include "tests/e2e/process.h"

#include <criterion/criterion.h>
#include <stdlib.h>

TestSuite(anonymous, .timeout = 240);

/* The workload compares. */
Test(anonymous, no_output_of_a_verb_has_a_secret)
{
    char *scratch = cup_scratch("anonymous"), *input = cup_input("ttree");
    char *files = cup_path(input, "files.json"), *log = cup_path(scratch, "anonymous.log");
    const char *const argv[] = {cup_python(),
                                CUP_TOP "/tests/workloads/anonymous_job.py",
                                CUP_BUILD "/cupping",
                                CUP_TOP "/wrappers/cupping-run",
                                files,
                                scratch,
                                NULL};
    cup_run("anonymous_job.py", log, argv, cup_clean_environment, 200);
    free(log), free(files), free(input), free(scratch);
}

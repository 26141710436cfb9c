/* Tasks that know what they waited for, with one thread and with four on few cores: cupping says
 * the same within 5 % or 2 ms, whichever is more (tests/workloads/waits.py). */
#include "tests/e2e/cluster.h"
#include "tests/e2e/job.h"
#include "tests/e2e/process.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

TestSuite(waits, .timeout = 600);

/* Passes if the judge finds nothing wrong; else its table says what. Without the right to mount, it
 * leaves out tasks that read from a mount, and the test is skipped when the others have passed. */
static void judge(const char *name, const char *threads, const char *only)
{
    char *directory = cup_scratch(name), *work = cup_path(directory, "work");
    char *log = cup_path(directory, "judge.log");
    const char *const argv[] = {cup_python(),  CUP_TOP "/tests/workloads/waits.py",
                                "--threads",   threads,
                                "--rounds",    "2",
                                "--events",    "100000",
                                "--only",      only,
                                "--directory", work,
                                NULL};
    struct cup_process process;
    cup_process_start(&process, "waits.py", log, argv, cup_clean_environment);
    int status = cup_process_wait(&process, 500);
    char *said = cup_process_output(&process);
    if (status != 0)
        fprintf(stderr, "%s\n", said);
    cr_expect(status == 0, "waits.py --threads %s: status %d", threads, status);
    const char *reason = strstr(said, "is left out: ");
    if (reason)
        cr_skip_test("all other tasks passed, but one %.*s", (int)strcspn(reason, "\n"), reason);
    free(said);
    free(log);
    free(work);
    free(directory);
}

Test(waits, with_one_thread)
{
    judge("waits-1", "1", "all");
}

Test(waits, with_four_threads)
{
    judge("waits-4", "4", "all");
}

Test(waits, little_is_left_of_the_demo)
{
    judge("waits-demo", "4", "demo");
}

/* How many bytes of the log a task takes. The limits are 10 % above what was measured: a change
 * that makes a task larger by more than that has to say why. */
#include "tests/e2e/child.h"
#include "tests/e2e/job.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

TestSuite(log_size, .timeout = 240);

/* Chunks of 17 branches, one after the other, without Dask. What the sampler sees depends on the
 * time, and so do samples of Dask's servers: these records are left out. */
enum { FIRST_TASKS = 12, LIMIT = 1060 };

static bool is_counted(const char *type)
{
    static const char *const left_out[] = {
        "NODES", "CODE", "STACK_USE", "CPU_SAMPLES", "MODULE", "STRING", "EXTENTS", "NOTE", "INFO"};
    for (size_t i = 0; i < sizeof left_out / sizeof *left_out; i++)
        if (strcmp(type, left_out[i]) == 0)
            return false;
    return true;
}

/* Bytes of the records from the end of the first tasks on, and how many tasks ended then. */
static size_t add_up(const char *dump, size_t *tasks)
{
    size_t sum = 0, bytes, ended = 0;
    unsigned long long at;
    char type[32];
    for (const char *line = dump; line; line = strchr(line, '\n')) {
        line += *line == '\n';
        if (sscanf(line, "%llu %zu %31s", &at, &bytes, type) != 3)
            continue;
        sum += ended >= FIRST_TASKS && is_counted(type) ? bytes : 0;
        ended += strcmp(type, "TASK_END") == 0;
    }
    cr_assert_gt(ended, FIRST_TASKS);
    *tasks = ended - FIRST_TASKS;
    return sum;
}

Test(log_size, of_a_chunk)
{
    size_t tasks;
    char *directory = test_directory(), *input = cup_input("ttree");
    char *files = cup_path(input, "files.json");
    struct child job = {.argv = {CUP_PYTHON, CUP_TOP "/tests/workloads/demo.py", files,
                                 "--executor", "iterative", "--chunksize", "750"}};
    struct child recorded = child_recorded(&job, directory);
    child_run(&recorded);
    cr_assert_eq(recorded.status, 0, "%s", recorded.err);
    char *dump = dump_of(directory);
    size_t bytes = add_up(dump, &tasks);
    cr_expect_leq(bytes, LIMIT * tasks, "%zu bytes of %zu tasks: %zu each, at most %d", bytes,
                  tasks, bytes / tasks, LIMIT);
    child_free(&recorded);
    free(dump), free(files), free(input);
    test_directory_remove(directory);
}

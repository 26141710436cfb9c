/* Files that Python's libraries read by mapping them, inside tasks: the counted bytes lie
 * between the touched pages, and these with the pages that the kernel adds. */
#include "tests/e2e/child.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

TestSuite(mapped, .timeout = 120);

/* The lines "key least most" of the workload's output. */
static int expect_lines(const char *python, const char *out, json_t *tasks)
{
    char key[64];
    long long least, most;
    int lines = 0;
    for (const char *line = out; line; line = strchr(line, '\n')) {
        line += *line == '\n';
        if (sscanf(line, "%63s %lld %lld", key, &least, &most) != 3)
            continue;
        long long counted = task_number(tasks, key, "mapped_bytes");
        cr_expect(counted >= least && counted <= most, "%s: %s: %lld is not in [%lld, %lld]",
                  python, key, counted, least, most);
        lines++;
    }
    return lines;
}

static void check(const char *python)
{
    char *logs = test_directory(), *scratch = test_directory();
    struct child plain = {.argv = {python, CUP_TOP "/tests/workloads/mapped.py", scratch}};
    struct child recorded = child_recorded(&plain, logs);
    child_run(&plain); /* writes the files */
    child_run(&recorded);
    child_expect_same(&plain, &recorded);
    json_t *tasks = tasks_of(logs);
    cr_expect(expect_lines(python, recorded.out, tasks) == (int)tasks_count(tasks));
    json_decref(tasks);
    child_free(&plain);
    child_free(&recorded);
    test_directory_remove(scratch);
    test_directory_remove(logs);
}

Test(mapped, by_python_libraries)
{
    for_each_python(check);
}

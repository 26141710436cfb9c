/* Native frames are not read where that would do harm: the program is not changed, whatever its
 * stacks are. */
#include "tests/e2e/child.h"
#include "tests/e2e/process.h"

#include <criterion/criterion.h>
#include <unistd.h>

TestSuite(native_threads, .timeout = 300);

static void run_both(const char *python)
{
    char *logs = test_directory();
    struct child without = {
        .argv = {python, CUP_TOP "/tests/workloads/native_narrow.py", CUP_BUILD "/tests/trace"}};
    struct child with = child_recorded(&without, logs);
    child_run(&without);
    child_run(&with);
    cr_expect(with.status == 0, "%s: 0x%x: %s%s", python, with.status, with.out, with.err);
    child_expect_same(&without, &with);
    cr_expect(raw_number(logs, "native") > 0, "%s: no native frames", python);
    child_free(&without);
    child_free(&with);
    test_directory_remove(logs);
}

Test(native_threads, where_stack_or_memory_are_short_nothing_is_harmed)
{
    for_each_python(run_both);
}

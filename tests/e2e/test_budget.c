/* How many instructions the library adds to calls and tasks, within budgets (tests/budget), and how
 * many page faults to a fork. */
#include "tests/e2e/child.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <sys/wait.h>

TestSuite(budget, .timeout = 240);

Test(budget, no_call_costs_a_tenth_more_instructions)
{
    enum { CANNOT = 77 };
    struct child count = {.argv = {CUP_PYTHON, CUP_TOP "/tests/budget/budget.py"}};
    child_run(&count);
    if (WIFEXITED(count.status) && WEXITSTATUS(count.status) == CANNOT)
        cr_skip_test("%s", count.out);
    cr_expect(count.status == 0, "%s%s", count.out, count.err);
    child_free(&count);
}

/* Each takes half a microsecond or more, before the child runs any code of the program. */
Test(budget, a_forked_child_has_few_more_page_faults)
{
    enum { MOST = 150 };
    char *logs = test_directory();
    struct child plain = {.argv = {CUP_PYTHON, CUP_TOP "/tests/workloads/fork_pages.py"}};
    struct child recorded = child_recorded(&plain, logs);
    child_run(&plain);
    child_run(&recorded);
    cr_assert(plain.status == 0 && recorded.status == 0, "%s%s", plain.err, recorded.err);
    long before = atol(plain.out), with = atol(recorded.out);
    cr_expect(before > 0 && with - before <= MOST, "%ld page faults, with the library %ld", before,
              with);
    json_t *tasks = tasks_of(logs);
    cr_expect(task_of(tasks, "first") != NULL, "nothing was recorded");
    json_decref(tasks);
    child_free(&plain);
    child_free(&recorded);
    test_directory_remove(logs);
}

/* How many instructions the library adds to calls and tasks, within budgets: tests/budget. */
#include "tests/e2e/child.h"

#include <criterion/criterion.h>
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

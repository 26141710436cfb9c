/* The documents agree with the program, and the rooms with docs/contributing/architecture.md. */
#include "tests/wrappers/shell.h"

#include <criterion/criterion.h>

TestSuite(documents, .init = shell_enter, .fini = shell_leave, .timeout = 120);

Test(documents, agree_with_the_program)
{
    const struct shell_result *result = shell("python3 $top/tests/check_docs.py");
    cr_expect_eq(result->status, 0, "%s%s", result->out, result->err);
}

Test(documents, rooms_include_only_those_below)
{
    const struct shell_result *result = shell("python3 $top/tests/check_rooms.py");
    cr_expect_eq(result->status, 0, "%s%s", result->out, result->err);
}

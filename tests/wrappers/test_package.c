/* `import cupping`, with pandas, with numpy alone, and with the standard library alone. */
#include <criterion/criterion.h>

#include <unistd.h>

#include "tests/wrappers/shell.h"

/* OPTIONS: of Python. USED: what it finds of pandas and numpy. */
static void check(const char *python, const char *options, const char *used)
{
    if (access(python, X_OK))
        cr_skip_test("no %s", python);
    shell_enter();
    const struct shell_result *result =
        shell("$top/build/tests/generate_log logs 3000 2 0 5 30 >log && %s %s "
              "$top/tests/python/check_package.py $cupping logs .",
              python, options);
    cr_expect(result->status == 0 && has(result->out, used), "%s%s", result->out, result->err);
    shell_leave();
}

Test(package, with_pandas)
{
    check(CUP_PYTHON, "", "; pandas");
}

Test(package, with_numpy)
{
    check(CUP_PYTHON_3_9, "", "; numpy");
}

Test(package, with_python_alone)
{
    check(CUP_PYTHON, "-S", "; neither");
}

Test(package, what_attach_sends_and_refuses)
{
    if (access(CUP_PYTHON, X_OK))
        cr_skip_test("no %s", CUP_PYTHON);
    shell_enter();
    const struct shell_result *result = shell("%s $top/tests/python/check_remote.py .", CUP_PYTHON);
    cr_expect(result->status == 0 && has(result->out, "remote: as it says"), "%s%s", result->out,
              result->err);
    shell_leave();
}

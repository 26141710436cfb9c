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

/* No Python is next to the command of such an installation, so the first one on PATH is used. Its
 * folder of packages may be for another Python, so no other package is taken from there, and no
 * module that replaces one of the standard library. An older installation may still be there. */
Test(package, of_a_wheel_below_a_prefix)
{
    shell_enter();
    const struct shell_result *result = shell(
        "packages=prefix/lib/python3.9/site-packages\n"
        "mkdir -p prefix/bin $packages/distributed\n"
        "cp $cupping prefix/bin; cp -r $top/python/cupping $packages\n"
        "echo 'raise SystemExit(\"of another Python\")' >$packages/distributed/__init__.py\n"
        "cp $packages/distributed/__init__.py $packages/argparse.py\n"
        "older=prefix/lib/python3.10/site-packages/cupping; mkdir -p $older\n"
        "cp $packages/argparse.py $older/__init__.py; cp $packages/argparse.py $older/__main__.py\n"
        "touch -d 2001-01-01 $older/__main__.py\n"
        "prefix/bin/cupping collect tcp://127.0.0.1:1");
    cr_expect(result->status != 0 && lines_of(result->err) == 1, "%s", result->err);
    cr_expect(has(result->err, "cupping: collect: "), "%s", result->err);
    cr_expect_not(has(result->err, "of another Python"), "%s", result->err);
    result = shell("printf '#!/bin/sh\\necho the Python next to it\\n' >prefix/bin/python\n"
                   "chmod +x prefix/bin/python; prefix/bin/cupping collect tcp://127.0.0.1:1");
    cr_expect_str_eq(result->out, "the Python next to it\n", "%s", result->err);
    shell_leave();
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

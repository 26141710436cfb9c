/* The examples of docs/contributing/ that are not parts of another test program. */
#include "tests/wrappers/shell.h"

#include <criterion/criterion.h>

TestSuite(howto, .init = shell_enter, .fini = shell_leave, .timeout = 60);

Test(howto, a_hook_forwards_its_call)
{
    const struct shell_result *result =
        shell("printf 0123456789 >digits\n"
              "LD_PRELOAD=" CUP_BUILD "/tests/howto/libexample_hook.so python3 -c '\n"
              "import ctypes, os\n"
              "hook = ctypes.CDLL(None).example_pread\n"
              "buffer = ctypes.create_string_buffer(4)\n"
              "count = hook(os.open(\"digits\", os.O_RDONLY), buffer, 4, ctypes.c_long(3))\n"
              "print(count, buffer.raw.decode())'");
    cr_expect_str_eq(result->out, "4 3456\n", "%s", result->err);
}

/* Prints the layout of a Python that is installed with its headers, and compares it. */
static void check_layout(const char *python)
{
    const struct shell_result *result = shell(
        "set -e; [ -x %s ] || exit 77\n"
        "include=$(%s -c 'import sysconfig; print(sysconfig.get_paths()[\"include\"])')\n"
        "[ -e $include/internal/pycore_frame.h ] || [ -e $include/frameobject.h ] || exit 77\n"
        "cc -std=c17 -D_GNU_SOURCE -w -I$top -I$include -I$include/internal "
        "-I$include/.. -o layout "
        "$top/tests/howto/print_layout.c\n"
        "./layout",
        python, python);
    if (result->status == 77)
        cr_skip_test("no headers of %s", python);
    cr_expect_eq(result->status, 0, "%s%s", result->out, result->err);
}

Test(howto, layout_of_the_default_python)
{
    check_layout(CUP_PYTHON);
}

Test(howto, layout_of_python_3_9)
{
    check_layout(CUP_PYTHON_3_9);
}

Test(howto, layout_of_python_3_13)
{
    check_layout(CUP_PYTHON_3_13);
}

Test(howto, layout_of_python_3_14)
{
    check_layout(CUP_PYTHON_3_14);
}

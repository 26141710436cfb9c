/* Errors that are shortened keep their cause. */
#include <criterion/criterion.h>

#include <string.h>

#include "analysis/base/error_text.h"

static void expect_text(const char *error, size_t room, const char *expected)
{
    char to[256];
    cup_shorten_error(to, room, (struct cup_text){error, strlen(error)});
    cr_expect_str_eq(to, expected);
    cr_expect_lt(strlen(to), room);
}

Test(error_text, a_short_text_is_whole)
{
    expect_text("KeyError('x')", 64, "KeyError('x')");
    expect_text("", 64, "");
    char to[64] = "before";
    cr_expect_str_eq(cup_shorten_error(to, sizeof to, (struct cup_text){NULL, 0}), "");
}

Test(error_text, coffeas_cause_is_kept)
{
    expect_text("Exception(\"Failed processing file: WorkItem(dataset='TTbar', filename='root://a.b"
                "//c/d.root', treename='Events'). The error was: KeyError('x').\")",
                81,
                "Exception(\"Failed processing file: WorkItem( ... The error was: "
                "KeyError('x').\")");
}

Test(error_text, a_long_cause_keeps_its_end)
{
    expect_text("Exception(\"Failed processing file: WorkItem(dataset='TTbar'). The error was: "
                "ValueError('a very long text that goes on and on and says last: no such bin').\")",
                101,
                "Exception(\"Failed process ... The error was: ValueError('a ver ... "
                "n and says last: no such bin').\")");
    expect_text("OSError: the first line\nand many more lines of a traceback, and so on, and on\n"
                "FileNotFoundError: gone",
                65, "OSError: the first line\nand m ... and on\nFileNotFoundError: gone");
}

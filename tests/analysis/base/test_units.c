/* A number and its noun agree. */
#include <criterion/criterion.h>

#include "analysis/base/units.h"

Test(units, nouns_agree_with_their_numbers)
{
    cr_expect_str_eq(CUP_SHOW_COUNTED(0, "file"), "0 files");
    cr_expect_str_eq(CUP_SHOW_COUNTED(1, "lost chunk"), "1 lost chunk");
    cr_expect_str_eq(CUP_SHOW_COUNTED(12345, "lost chunk"), "12,345 lost chunks");
    cr_expect_str_eq(CUP_SHOW_COUNTED(1, "process"), "1 process");
    cr_expect_str_eq(CUP_SHOW_COUNTED(2, "process"), "2 processes");
    cr_expect_str_eq(CUP_SHOW_COUNTED(3, "branch"), "3 branches");
    cr_expect_str_eq(CUP_SHOW_COUNTED(1, "more prefix"), "1 more prefix");
    cr_expect_str_eq(CUP_SHOW_COUNTED(2, "more prefix"), "2 more prefixes");
    cr_expect_str_eq(CUP_SHOW_COUNTED(1, "library"), "1 library");
    cr_expect_str_eq(CUP_SHOW_COUNTED(2, "library"), "2 libraries");
}

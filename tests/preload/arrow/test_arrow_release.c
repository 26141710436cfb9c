/* Which libraries are changed. What happens to jobs: tests/e2e/test_arrow.c. */
#include "preload/arrow/arrow_release.h"

#include <criterion/criterion.h>

Test(arrow_release, releases_that_were_tried_are_followed)
{
    cr_expect_eq(cup_arrow_release_of("/a/libarrow.so.1000"), CUP_ARROW_TRIED);
    cr_expect_eq(cup_arrow_release_of("/a/libarrow.so.2600.1.0"), CUP_ARROW_TRIED);
    cr_expect_eq(cup_arrow_release_of("/a/libarrow.so.2700"), CUP_ARROW_NEWER);
}

Test(arrow_release, other_libraries_are_left_alone)
{
    static const char *const others[] = {"/a/libarrow.so.900",
                                         "/a/libarrow_python.so.2600",
                                         "/a/libarrow.so",
                                         "libarrow.so.2600",
                                         "",
                                         "/"};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        cr_expect_eq(cup_arrow_release_of(others[i]), CUP_ARROW_NONE, "%s", others[i]);
}

/* Which layouts are tried for which version. The offsets themselves are compared with the headers
 * of installed Pythons (tests/wrappers/test_howto.c), and verified in each of them (tests/e2e). */
#include "preload/python/layout.h"

#include <criterion/criterion.h>
#include <string.h>

static bool is_column(const struct cup_layout *layout, int minor)
{
    return memcmp(layout, &cup_layouts[minor], sizeof *layout) == 0;
}

Test(layout, of_a_known_version_is_its_column)
{
    struct cup_layout layout;
    for (int minor = 9; minor <= 15; minor++) {
        cr_expect(cup_layout_is_listed(minor));
        cr_assert(cup_layout_candidate(minor, 0, &layout), "3.%d", minor);
        cr_expect(is_column(&layout, minor), "3.%d", minor);
        cr_expect_not(cup_layout_candidate(minor, 1, &layout), "3.%d", minor);
    }
}

/* This process has no _PyRuntime, so nothing is published here. */
Test(layout, of_a_newer_version_may_be_that_of_an_older_one)
{
    struct cup_layout layout;
    cr_expect_not(cup_layout_is_listed(16));
    for (int try = 0; try < 6; try++) {
        cr_assert(cup_layout_candidate(16, try, &layout), "%d", try);
        cr_expect(is_column(&layout, 15 - try / 2), "%d", try);
    }
    cr_expect_not(cup_layout_candidate(16, 6, &layout));
}

/* ---- builds without a GIL ------------------------------------------------------------------ */

struct runtime {
    char cookie[8];
    uint64_t version, free_threaded, more[100];
};

Test(layout, a_free_threaded_build_says_so)
{
    struct runtime runtime = {"xdebugpy", 0x030e02f0, 1, {0}};
    cr_expect(cup_layout_is_free_threaded(&runtime, 14));
    runtime.version = 0x031002f0; /* a version that is not listed */
    cr_expect(cup_layout_is_free_threaded(&runtime, 16));
}

Test(layout, other_builds_say_that_they_are_not)
{
    struct runtime runtime = {"xdebugpy", 0x030d00f0, 0, {0}};
    cr_expect_not(cup_layout_is_free_threaded(&runtime, 13));
}

/* What is there is another version's, or nothing that is published. */
Test(layout, without_a_block_nothing_is_known)
{
    struct runtime runtime = {"xdebugpy", 0x030d00f0, 1, {0}};
    cr_expect_not(cup_layout_is_free_threaded(&runtime, 14));
    cr_expect_not(cup_layout_is_free_threaded(&runtime, 12));
    cr_expect_not(cup_layout_is_free_threaded(NULL, 14));
    memcpy(runtime.cookie, "xdebugpx", sizeof runtime.cookie);
    cr_expect_not(cup_layout_is_free_threaded(&runtime, 13));
}

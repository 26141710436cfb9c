/* Which layout is taken for which version. The offsets themselves are compared with the headers of
 * installed Pythons (tests/wrappers/test_howto.c), and verified in each of them (tests/e2e). */
#include "preload/python/layout.h"

#include <criterion/criterion.h>
#include <string.h>

Test(layout, of_a_known_version_is_its_column)
{
    struct cup_layout layout;
    for (int minor = 9; minor <= 15; minor++) {
        cr_assert(cup_layout_known(minor, &layout), "3.%d", minor);
        cr_expect(memcmp(&layout, &cup_layouts[minor], sizeof layout) == 0, "3.%d", minor);
    }
}

Test(layout, of_another_version_is_not_known)
{
    struct cup_layout layout;
    cr_expect_not(cup_layout_known(16, &layout));
}

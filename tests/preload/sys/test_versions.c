/* Versions of packages as numbers that can be compared. */
#include "preload/sys/parse_number.h"

#include <criterion/criterion.h>

Test(versions, have_numbers_that_are_in_their_order)
{
    static const char *const versions[] = {"0.7.9",    "0.7.22",   "2.30.0",       "2021.12.0",
                                           "2022.1.0", "2022.1.1", "2022.12.0rc1", "2026.8.0"};
    for (size_t i = 1; i < sizeof versions / sizeof *versions; i++)
        cr_expect(cup_number_release(versions[i - 1]) < cup_number_release(versions[i]), "%s",
                  versions[i]);
}

Test(versions, may_have_two_parts_or_more_than_three)
{
    cr_expect_eq(cup_number_release("2022.1"), CUP_RELEASE(2022, 1, 0));
    cr_expect_eq(cup_number_release("2022.1.0+5.g1234"), CUP_RELEASE(2022, 1, 0));
    cr_expect_eq(cup_number_release("0.7.22.dev3"), CUP_RELEASE(0, 7, 22));
}

Test(versions, without_a_number_are_not_judged)
{
    static const char *const versions[] = {"", "unknown", "0+unknown", "2022", ".", "2022."};
    for (size_t i = 0; i < sizeof versions / sizeof *versions; i++)
        cr_expect_eq(cup_number_release(versions[i]), 0, "%s", versions[i]);
}

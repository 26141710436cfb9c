/* What tasks try again: requests that failed, and connections that ended. */
#include "preload/io/repeats.h"

#include <criterion/criterion.h>

enum { TASK = 3, OTHER = 4, KEY = 77, SERVER = 9 };

TestSuite(repeats, .init = cup_repeats_reset);

Test(repeats, are_requests_that_failed_before)
{
    cr_expect_not(cup_repeats_request(TASK, KEY, true));
    cr_expect(cup_repeats_request(TASK, KEY, true));
    cr_expect_not(cup_repeats_request(OTHER, KEY, false), "of another task");
    cr_expect_not(cup_repeats_request(TASK, KEY + 1, false), "it asks for something else");
    cr_expect(cup_repeats_request(TASK, KEY, false));
    cr_expect_not(cup_repeats_request(TASK, KEY, false), "the last one succeeded");
}

Test(repeats, of_requests_that_are_not_known_are_none)
{
    cr_expect_not(cup_repeats_request(TASK, 0, true));
    cr_expect_not(cup_repeats_request(TASK, 0, false));
}

Test(repeats, of_connections_replace_one_that_ended)
{
    cr_expect_not(cup_repeats_connection(TASK, SERVER));
    cr_expect_not(cup_repeats_connection(TASK, SERVER), "two at a time");
    cup_repeats_disconnected(TASK, SERVER);
    cr_expect_not(cup_repeats_connection(OTHER, SERVER));
    cr_expect(cup_repeats_connection(TASK, SERVER));
    cr_expect_not(cup_repeats_connection(TASK, SERVER), "three at a time");
}

Test(repeats, end_with_the_task)
{
    cup_repeats_request(TASK, KEY, true);
    cup_repeats_connection(TASK, SERVER);
    cup_repeats_disconnected(TASK, SERVER);
    cup_repeats_task_ended(TASK);
    cr_expect_not(cup_repeats_request(TASK, KEY, false));
    cr_expect_not(cup_repeats_connection(TASK, SERVER));
}

/* The oldest make room. */
Test(repeats, fit_into_a_table_of_fixed_size)
{
    for (uint32_t key = 1; key <= 100000; key++)
        cr_assert_not(cup_repeats_request(TASK, key, true));
    cr_expect(cup_repeats_request(TASK, 100000, false));
    cr_expect_not(cup_repeats_request(TASK, 1, false));
}

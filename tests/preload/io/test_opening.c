/* What paths have in common; which sockets are XRootD's. Times themselves: tests/e2e/test_opens.c.
 */
#include "preload/io/descriptor.h"
#include "preload/io/opening.h"

#include <criterion/criterion.h>

static void expect_common(const char *path, size_t bytes)
{
    cr_expect_eq(cup_opening_common(path), bytes, "%s: %zu", path, cup_opening_common(path));
}

Test(opening, the_beginning_of_a_path)
{
    expect_common("root://host:1094//store/a.root", 16);
    expect_common("root://host", 11);
    expect_common("tcp://10.0.0.1:443", 18);
    expect_common("/eos/cms/a.root", 4);
    expect_common("/a.root", 7);
    expect_common("a.root", 6);
    expect_common("here/a.root", 4);
    expect_common("/", 1);
    expect_common("", 0);
}

Test(opening, sockets_of_a_range_that_is_closed_are_not_the_clients_any_more)
{
    cup_wire_add(40);
    cup_wire_add(41);
    cup_wire_add(43);
    cup_wire_remove_range(41, 42);
    cr_expect(cup_wire_is(40));
    cr_expect_not(cup_wire_is(41));
    cr_expect(cup_wire_is(43));
    cup_wire_remove_range(0, UINT32_MAX);
    cr_expect_not(cup_wire_is(40));
    cr_expect_not(cup_wire_is(43));
}

/* Where paths are; which sockets are XRootD's. Times themselves: tests/e2e/test_opens.c.
 */
#include "preload/io/descriptor.h"
#include "preload/io/known_files.h"
#include "preload/io/opening.h"

#include <criterion/criterion.h>

static void expect_place(const char *path, size_t bytes)
{
    cr_expect_eq(cup_place_length(path), bytes, "%s: %zu", path, cup_place_length(path));
}

Test(opening, the_place_of_a_path)
{
    expect_place("root://host:1094//store/a.root", 16);
    expect_place("root://host", 11);
    expect_place("tcp://10.0.0.1:443", 18);
    expect_place("/eos/cms/a.root", 5);
    expect_place("/a.root", 1);
    expect_place("a.root", 0);
    expect_place("here/a.root", 0);
    expect_place("/", 1);
    expect_place("", 0);
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

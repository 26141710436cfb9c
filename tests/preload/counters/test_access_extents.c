/* Access extents: reads that follow each other are one extent; where there is no more room, others
 * are joined, and nothing is lost. */
#include "preload/counters/access.h"

#include <criterion/criterion.h>

enum { KIB = 1024, MIB = 1024 * KIB };

static struct cup_access_extent room[CUP_EXTENT_ROOM], other_room[CUP_EXTENT_ROOM];
static struct cup_extents extents, others;
static uint64_t now, all_bytes, all_calls;

static void set_up(void)
{
    cup_extents_longest = 1000000;
    cup_extents_start(&extents, room);
    cup_extents_start(&others, other_room);
}

TestSuite(extents, .init = set_up);

static void read_at(struct cup_extents *to, uint64_t offset, uint64_t bytes)
{
    uint64_t start = now, stop = now += 10;
    now += 5;
    all_bytes += bytes;
    all_calls++;
    if (!cup_extents_go_on(to, offset, bytes, start, stop))
        cup_extents_begin(to, offset, bytes, start, stop);
}

/* The Nth extent in the order of time. */
static const struct cup_access_extent *nth(uint32_t n)
{
    uint32_t place = extents.first;
    cr_assert_lt(n, extents.count);
    while (n--)
        place = extents.next[place];
    return &room[place];
}

static void expect(uint32_t n, uint64_t low, uint64_t high, uint64_t bytes, uint32_t calls,
                   uint32_t jumps)
{
    const struct cup_access_extent *extent = nth(n);
    cr_expect_eq(extent->low, low, "extent %u begins at %lu", n, extent->low);
    cr_expect_eq(extent->high, high, "extent %u ends at %lu", n, extent->high);
    cr_expect_eq(extent->bytes, bytes, "extent %u has %lu bytes", n, extent->bytes);
    cr_expect_eq(extent->calls, calls, "extent %u has %u calls", n, extent->calls);
    cr_expect_eq(extent->jumps, jumps, "extent %u has %u jumps", n, extent->jumps);
}

/* The extents are in the order of time; no byte is lost or counted twice. */
static void expect_sound(void)
{
    uint64_t bytes = 0, calls = 0, before = 0;
    for (uint32_t i = 0; i < extents.count; i++) {
        const struct cup_access_extent *extent = nth(i);
        bytes += extent->bytes;
        calls += extent->calls;
        cr_expect_geq(extent->start, before);
        cr_expect_geq(extent->stop, extent->start);
        cr_expect_gt(extent->high, extent->low);
        cr_expect_lt(extent->jumps, extent->calls);
        before = extent->start;
    }
    cr_expect_eq(bytes, all_bytes);
    cr_expect_eq(calls, all_calls);
    cr_expect_eq(extents.current, nth(extents.count - 1));
}

Test(extents, a_file_in_order_is_one)
{
    for (int i = 0; i < 100; i++)
        read_at(&extents, (uint64_t)i * MIB, MIB);
    cr_assert_eq(extents.count, 1);
    expect(0, 0, 100 * MIB, 100 * MIB, 100, 0);
    cr_expect_eq(nth(0)->stop - nth(0)->start, 100 * 15 - 5);
}

Test(extents, a_little_may_be_passed_over)
{
    read_at(&extents, 0, 100);
    read_at(&extents, 100 + CUP_EXTENT_GAP, 100);
    cr_assert_eq(extents.count, 1);
    expect(0, 0, 200 + CUP_EXTENT_GAP, 200, 2, 0);
    read_at(&extents, 200 + 2 * CUP_EXTENT_GAP + 1, 100);
    cr_expect_eq(extents.count, 2, "a byte more is a jump");
    read_at(&extents, 0, 50);
    cr_expect_eq(extents.count, 3, "so is any step back");
    expect_sound();
}

Test(extents, read_twice_is_seen_twice)
{
    for (int i = 0; i < 20; i++)
        read_at(&extents, (uint64_t)(i % 10) * MIB, MIB);
    cr_assert_eq(extents.count, 2);
    expect(0, 0, 10 * MIB, 10 * MIB, 10, 0);
    expect(1, 0, 10 * MIB, 10 * MIB, 10, 0);
}

Test(extents, the_same_again_is_one_of_more_bytes)
{
    for (int i = 0; i < 5; i++)
        read_at(&extents, 4096, 512);
    cr_assert_eq(extents.count, 1);
    expect(0, 4096, 4608, 5 * 512, 5, 4);
}

Test(extents, none_is_longer_than_told)
{
    cup_extents_longest = 100;
    for (int i = 0; i < 20; i++)
        read_at(&extents, (uint64_t)i * MIB, MIB);
    cr_expect_gt(extents.count, 1);
    for (uint32_t i = 0; i < extents.count; i++) {
        cr_expect_lt(nth(i)->stop - nth(i)->start, 100 + 15);
        cr_expect_eq(nth(i)->jumps, 0);
    }
    expect_sound();
}

Test(extents, backwards_and_at_random_nothing_is_lost)
{
    for (int i = 1000; i > 0; i--) {
        read_at(&extents, (uint64_t)i * MIB, MIB);
        cr_assert_leq(extents.count, CUP_EXTENT_ROOM);
    }
    expect_sound();
    uint32_t state = 1;
    for (int i = 0; i < 5000; i++) {
        state = state * 1664525u + 1013904223u;
        read_at(&extents, (uint64_t)(state >> 8) * KIB, 1 + state % MIB);
    }
    cr_expect_eq(extents.count, CUP_EXTENT_ROOM);
    expect_sound();
}

Test(extents, no_part_of_the_time_is_favoured)
{
    uint64_t longest = 0, shortest = UINT64_MAX;
    for (int i = 1600; i > 0; i--)
        read_at(&extents, (uint64_t)i * MIB, MIB);
    for (uint32_t i = 0; i + 3 < extents.count; i++) { /* the last ones are not joined yet */
        uint64_t calls = nth(i)->calls;
        longest = calls > longest ? calls : longest;
        shortest = calls < shortest ? calls : shortest;
    }
    cr_expect_leq(longest, 4 * shortest, "from %lu to %lu reads", shortest, longest);
}

Test(extents, what_lies_near_is_joined_first)
{
    read_at(&extents, 0, 10);
    read_at(&extents, 500 * MIB, 10);
    read_at(&extents, 500 * MIB + 40 * KIB, 10);
    while (extents.count < CUP_EXTENT_ROOM) /* ways across the whole file, of one read each */
        read_at(&extents, (uint64_t)(extents.count % 2 ? 1 : 1000) * MIB, 100);
    read_at(&extents, 700 * MIB, 10);
    cr_assert_eq(extents.count, CUP_EXTENT_ROOM);
    expect(0, 0, 10, 10, 1, 0);
    bool found = false;
    for (uint32_t i = 0; i < extents.count; i++)
        found |= nth(i)->low == 500 * MIB && nth(i)->high == 500 * MIB + 40 * KIB + 10 &&
                 nth(i)->bytes == 20 && nth(i)->jumps == 1;
    cr_expect(found);
    expect_sound();
}

Test(extents, two_threads_in_the_order_of_time)
{
    for (int i = 0; i < 30; i++)
        read_at(i % 2 ? &others : &extents, (uint64_t)(i * 7 % 30) * MIB, MIB);
    cup_extents_merge(&extents, &others);
    cr_expect_eq(extents.count, CUP_EXTENT_ROOM);
    expect_sound();
    cup_extents_clear(&others);
    uint32_t before = extents.count;
    cup_extents_merge(&extents, &others);
    cr_expect_eq(extents.count, before, "nothing is added");
    expect_sound();
}

Test(extents, none_of_one_set_and_some_of_another)
{
    read_at(&others, 5, 5);
    cup_extents_merge(&extents, &others);
    cr_assert_eq(extents.count, 1);
    expect(0, 5, 10, 5, 1, 0);
    read_at(&extents, 10, 5);
    expect(0, 5, 15, 10, 2, 0);
}

Test(extents, a_read_whose_time_is_not_known_goes_on)
{
    read_at(&extents, 0, 10);
    uint64_t stop = nth(0)->stop;
    cr_expect(cup_extents_go_on(&extents, 10, 1, 0, 0));
    cr_expect_eq(nth(0)->stop, stop);
    cr_expect_eq(nth(0)->high, 11);
}

Test(extents, places_at_the_end_of_the_largest_file)
{
    for (int i = 0; i < 100; i++)
        read_at(&extents, i % 2 ? INT64_MAX - MIB : 0, MIB);
    expect_sound();
}

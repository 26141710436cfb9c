/* Which stack is taken for the thread's last one. The frames are made by the tests, with the layout
 * of Python 3.13. */
#include "preload/lifecycle/thread.h"
#include "preload/python/layout.h"
#include "preload/stacks/last_stack.h"
#include "preload/sys/clock.h"

#include <criterion/criterion.h>
#include <string.h>

enum { DEPTH = 20, MOST = 200, KEY = 5, NODE = 40 };

static char frames[MOST][128]; /* innermost first */
static uint64_t now;

static void set_word(uint32_t frame, size_t offset, uint64_t word)
{
    memcpy(frames[frame] + offset, &word, sizeof word);
}

static void set_place(uint32_t frame, uint64_t place)
{
    set_word(frame, cup_layout.frame_place, place);
}

static void make_frames(uint32_t depth)
{
    for (uint32_t i = 0; i < depth; i++) {
        set_word(i, cup_layout.frame_back, i + 1 < depth ? (uintptr_t)frames[i + 1] : 0);
        set_place(i, 0x1000 + i);
    }
}

static void set_up(void)
{
    cr_assert(cup_layout_candidate(13, 0, &cup_layout));
    cup_self.slot = 1;
    now = cup_ns_ticks(3600000000000);
    make_frames(DEPTH);
}

TestSuite(last_stack, .init = set_up);

static void go_on(uint64_t ns)
{
    now += cup_ns_ticks(ns);
}

static uint32_t find(void)
{
    return cup_last_stack_find(frames[0], KEY, now);
}

static void keep(void)
{
    cup_last_stack_keep(frames[0], KEY, now, NODE);
}

static void keep_twice(void)
{
    keep();
    keep();
    cr_assert_eq(find(), NODE);
}

Test(last_stack, is_found_when_it_came_twice)
{
    cr_expect_eq(find(), 0);
    keep();
    cr_expect_eq(find(), 0, "most stacks come once");
    keep();
    cr_expect_eq(find(), NODE);
    cup_last_stack_keep(frames[0], KEY, now, NODE + 1);
    cr_expect_eq(find(), 0, "another one came");
}

Test(last_stack, differs_if_any_frame_executes_another_instruction)
{
    keep_twice();
    for (uint32_t i = 0; i < DEPTH; i++) {
        set_place(i, 7);
        cr_expect_eq(find(), 0, "frame %u", i);
        set_place(i, 0x1000 + i);
        cr_expect_eq(find(), NODE);
    }
}

Test(last_stack, differs_if_it_is_deeper_or_less_deep)
{
    keep_twice();
    make_frames(DEPTH + 1);
    cr_expect_eq(find(), 0);
    make_frames(DEPTH - 1);
    cr_expect_eq(find(), 0);
    cr_expect_eq(cup_last_stack_find(frames[1], KEY, now), 0);
}

Test(last_stack, differs_with_the_key)
{
    keep_twice();
    cr_expect_eq(cup_last_stack_find(frames[0], KEY + 1, now), 0);
}

Test(last_stack, is_found_for_ten_microseconds_from_one_read_to_the_next)
{
    keep_twice();
    for (int i = 0; i < 10; i++) {
        go_on(CUP_LAST_STACK_NS - 100);
        cr_expect_eq(find(), NODE);
    }
    go_on(CUP_LAST_STACK_NS + 100);
    cr_expect_eq(find(), 0);
}

/* A thread that waited for the GIL goes on with the same loop. */
Test(last_stack, is_found_at_the_second_read_after_a_pause)
{
    keep_twice();
    go_on(CUP_LAST_STACK_NS * 10);
    cr_expect_eq(find(), 0);
    keep();
    cr_expect_eq(find(), NODE);
}

Test(last_stack, each_thread_has_its_own)
{
    keep_twice();
    cup_self.slot = 2;
    cr_expect_eq(find(), 0);
    cup_self.slot = 0;
    keep();
    keep();
    cr_expect_eq(find(), 0, "a thread without a slot has none");
}

Test(last_stack, very_deep_ones_are_not_kept)
{
    make_frames(CUP_LAST_STACK_FRAMES);
    keep_twice();
    make_frames(CUP_LAST_STACK_FRAMES + 1);
    keep();
    keep();
    cr_expect_eq(find(), 0);
}

/* Chains of return addresses are recognised by their places on the stack, and kept only if the
 * places can be found in one way. */
#include "preload/stacks/chain_memo.h"

#include <criterion/criterion.h>
#include <pthread.h>
#include <string.h>

enum { KEY = 7, VALUE = 99, STACK = 1024 };

/* A stack with return addresses at some places, the first one at its beginning. */
static uint64_t stack[STACK];

static void fill(void)
{
    for (int i = 0; i < STACK; i++)
        stack[i] = (uint64_t)i << 32;
}

TestSuite(chains, .init = fill);

static void *address(uint64_t number)
{
    return (void *)(uintptr_t)(0x1000 + number);
}

static void put(int place, uint64_t number)
{
    stack[place] = (uintptr_t)address(number);
}

/* The addresses of a chain are numbers from BASE on; each frame has the same number of words. */
static void **make(uint64_t base, const uint32_t *words, uint32_t count)
{
    static void *returns[CUP_CHAIN_MOST + 1];
    uint32_t place = 0;
    for (uint32_t i = 0; i < count; place += words[i++]) {
        returns[i] = address(base + i);
        put((int)place, base + i);
    }
    return returns;
}

static const uint32_t words[] = {3, 10, 2, 40, 7};
enum { COUNT = sizeof words / sizeof *words };

/* A chain is kept when it comes for the fourth time. */
static void keep_as(uint64_t key, void **returns, uint32_t count)
{
    for (int i = 0; i < 4; i++) {
        cr_assert_eq(cup_chain_find(key, stack), 0);
        cup_chain_keep(key, stack, stack + STACK, returns, count, VALUE);
    }
}

static void keep(uint64_t base)
{
    keep_as(KEY, make(base, words, COUNT), COUNT);
}

Test(chains, one_that_was_kept_is_known)
{
    cr_expect_eq(cup_chain_find(KEY, stack), 0);
    keep(100);
    cr_expect_eq(cup_chain_find(KEY, stack), VALUE);
    cr_expect_eq(cup_chain_find(KEY + 1, stack), 0, "another Python stack");
    cr_expect_eq(cup_chain_find(KEY, stack + 1), 0, "another depth");
}

Test(chains, each_address_must_be_where_it_was)
{
    keep(200);
    for (uint32_t i = 0, place = 0; i < COUNT; place += words[i++]) {
        stack[place]++;
        cr_expect_eq(cup_chain_find(KEY, stack), 0, "address %u", i);
        stack[place]--;
    }
    stack[1] = stack[5] = stack[STACK - 1] = 12345;
    cr_expect_eq(cup_chain_find(KEY, stack), VALUE, "what lies between may be anything");
}

/* Two branches of a function may lead to the same call at the same depth. */
Test(chains, two_of_the_same_place_are_kept)
{
    static const uint32_t others[] = {3, 10, 4, 8};
    enum { OTHER_VALUE = 101, OTHER_COUNT = sizeof others / sizeof *others };
    for (int turn = 0; turn < 4; turn++) {
        fill();
        cup_chain_keep(KEY, stack, stack + STACK, make(100, words, COUNT), COUNT, VALUE);
        fill();
        cup_chain_keep(KEY, stack, stack + STACK, make(150, others, OTHER_COUNT), OTHER_COUNT,
                       OTHER_VALUE);
    }
    cr_expect_eq(cup_chain_find(KEY, stack), OTHER_VALUE);
    fill();
    make(100, words, COUNT);
    cr_expect_eq(cup_chain_find(KEY, stack), VALUE);
    fill();
    cr_expect_eq(cup_chain_find(KEY, stack), 0);
}

static uint64_t found_by_second;

/* The first of two threads has a chain on its stack, which it keeps. The second one, which starts
 * while the first still has its stack, looks the same chain up. */
static void *run_thread(void *is_first)
{
    volatile uint64_t own[8] = {0};
    void *returns[] = {address(800), address(801)};
    const uint64_t *first = (const uint64_t *)own;
    pthread_t second;
    own[0] = (uintptr_t)returns[0];
    own[5] = (uintptr_t)returns[1];
    if (!is_first) {
        found_by_second = cup_chain_find(KEY, first);
        return NULL;
    }
    for (int i = 0; i < 4; i++)
        cup_chain_keep(KEY, first, first + 8, returns, 2, VALUE);
    cr_assert_eq(pthread_create(&second, NULL, run_thread, NULL), 0);
    cr_assert_eq(pthread_join(second, NULL), 0);
    return NULL;
}

Test(chains, threads_share_them)
{
    pthread_t thread;
    cr_assert_eq(pthread_create(&thread, NULL, run_thread, &found_by_second), 0);
    cr_assert_eq(pthread_join(thread, NULL), 0);
    cr_expect_eq(found_by_second, VALUE);
}

Test(chains, with_remains_of_earlier_calls_it_is_not_kept)
{
    put(9, 302); /* between the second and the third (at 13): either could be the right one */
    keep(300);
    cr_expect_eq(cup_chain_find(KEY, stack), CUP_CHAIN_HOPELESS);
}

Test(chains, one_that_cannot_be_kept_does_not_keep_others_out)
{
    static const uint32_t others[] = {3, 12, 4};
    enum { OTHER_COUNT = sizeof others / sizeof *others };
    put(9, 352);
    keep(350);
    cr_expect_eq(cup_chain_find(KEY, stack), CUP_CHAIN_HOPELESS);
    fill();
    void **returns = make(380, others, OTHER_COUNT);
    for (int i = 0; i < 4; i++)
        cup_chain_keep(KEY, stack, stack + STACK, returns, OTHER_COUNT, VALUE + 2);
    cr_expect_eq(cup_chain_find(KEY, stack), VALUE + 2);
}

Test(chains, sizes_of_frames_tell_remains_from_addresses)
{
    keep(400);
    cr_assert_eq(cup_chain_find(KEY, stack), VALUE);
    put(9, 402);
    keep_as(KEY + 1, make(400, words, COUNT), COUNT);
    cr_expect_eq(cup_chain_find(KEY + 1, stack), VALUE);
    put(9, 0);
    cr_expect_eq(cup_chain_find(KEY + 1, stack), VALUE);
    put(13, 0);
    cr_expect_eq(cup_chain_find(KEY + 1, stack), 0);
}

Test(chains, one_with_a_frame_whose_size_varies_is_not_kept)
{
    static const uint32_t others[] = {3, 12, 2, 40, 7};
    keep(500);
    cr_assert_eq(cup_chain_find(KEY, stack), VALUE);
    fill();
    keep_as(KEY + 1, make(500, others, COUNT), COUNT);
    cr_expect_eq(cup_chain_find(KEY + 1, stack), CUP_CHAIN_HOPELESS);
    fill();
    keep_as(KEY + 2, make(500, words, COUNT), COUNT);
    cr_expect_eq(cup_chain_find(KEY + 2, stack), CUP_CHAIN_HOPELESS);
}

Test(chains, what_is_not_on_the_stack_is_not_kept)
{
    void **returns = make(600, words, COUNT);
    returns[COUNT - 1] = address(699);
    keep_as(KEY, returns, COUNT);
    cr_expect_eq(cup_chain_find(KEY, stack), CUP_CHAIN_HOPELESS);
    returns = make(600, words, COUNT);
    returns[0] = address(698); /* not at the beginning */
    put(1, 698);
    keep_as(KEY + 1, returns, COUNT);
    cr_expect_eq(cup_chain_find(KEY + 1, stack), CUP_CHAIN_HOPELESS);
}

Test(chains, long_ones_are_not_kept)
{
    uint32_t ones[CUP_CHAIN_MOST + 1];
    for (int i = 0; i <= CUP_CHAIN_MOST; i++)
        ones[i] = 2;
    keep_as(KEY, make(700, ones, CUP_CHAIN_MOST + 1), CUP_CHAIN_MOST + 1);
    cr_expect_eq(cup_chain_find(KEY, stack), CUP_CHAIN_HOPELESS);
    keep_as(KEY + 1, make(700, ones, CUP_CHAIN_MOST), CUP_CHAIN_MOST);
    cr_expect_eq(cup_chain_find(KEY + 1, stack), VALUE);
}

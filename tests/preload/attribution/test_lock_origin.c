/* Which task made a thing: two tasks that use the same path first, at the same time. */
#include "preload/attribution/lock_origin.h"
#include "preload/lifecycle/running_tasks.h"

#include <criterion/criterion.h>
#include <pthread.h>
#include <stdbool.h>
#include <string.h>

enum { ROUNDS = 10000 };

static cup_lock_origin_set sets[CUP_LOCK_ORIGIN_SETS];
static uint32_t arrived;

static void meet(uint32_t round)
{
    __atomic_fetch_add(&arrived, 1, __ATOMIC_SEQ_CST);
    while (__atomic_load_n(&arrived, __ATOMIC_SEQ_CST) < 2 * round)
        continue;
}

static uint64_t key_of(uint32_t round)
{
    return round + 100;
}

static void *make_all(void *task)
{
    for (uint32_t round = 1; round <= ROUNDS; round++) {
        meet(round);
        cup_lock_origin_named(sets, key_of(round), (uint32_t)(uintptr_t)task);
    }
    return NULL;
}

static void expect_shared(uint64_t key)
{
    const struct cup_lock_origin *set = cup_lock_origin_set_of(sets, key);
    for (int i = 0; i < CUP_LOCK_ORIGIN_PLACES; i++)
        if (set[i].key == key)
            cr_assert(set[i].shared, "key %llu is task %u's alone", (unsigned long long)key,
                      set[i].task);
}

Test(maker, what_two_name_at_one_time_is_shared)
{
    pthread_t other;
    cup_running_add(1);
    cup_running_add(2);
    cr_assert_eq(pthread_create(&other, NULL, make_all, (void *)1), 0);
    make_all((void *)2);
    pthread_join(other, NULL);
    for (uint32_t round = 1; round <= ROUNDS; round++)
        expect_shared(key_of(round));
}

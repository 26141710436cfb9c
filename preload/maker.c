#include "preload/maker.h"

#include "preload/attribution.h"
#include "preload/log.h"
#include "preload/raw.h"

_Static_assert(sizeof(cup_maker_set) == 64, "a set is a cache line");

cup_maker_set *cup_makers_of_locks, *cup_makers_of_paths;

static const size_t table_bytes = CUP_MAKER_SETS * sizeof(cup_maker_set);

int cup_maker_init(void)
{
    char *at = cup_raw_mmap(NULL, 2 * table_bytes, PROT_READ | PROT_WRITE,
                            MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (at == MAP_FAILED)
        return -1;
    cup_makers_of_locks = (cup_maker_set *)at;
    cup_makers_of_paths = (cup_maker_set *)(at + table_bytes);
    return 0;
}

void cup_maker_reset(void)
{
    if (cup_makers_of_locks)
        madvise(cup_makers_of_locks, 2 * table_bytes, MADV_DONTNEED);
}

enum { CLAIMED = 1 }; /* no key */

static bool take(struct cup_maker *place, uint64_t expected)
{
    return __atomic_compare_exchange_n(&place->key, &expected, CLAIMED, false, __ATOMIC_ACQUIRE,
                                       __ATOMIC_RELAXED);
}

/* A free place, or that of a task that runs no more. Two threads may claim places of one set at a
 * time. */
static struct cup_maker *claim(struct cup_maker *set)
{
    for (int i = 0; i < CUP_MAKER_WAYS; i++)
        if (take(&set[i], 0))
            return &set[i];
    for (int i = 0; i < CUP_MAKER_WAYS; i++) {
        uint64_t key = __atomic_load_n(&set[i].key, __ATOMIC_ACQUIRE);
        if (key > CLAIMED && !cup_attribution_runs(set[i].task) && take(&set[i], key))
            return &set[i];
    }
    cup_log_health(CUP_H_LOCKS_DROPPED, 1);
    return NULL;
}

/* NULL: no room. */
static struct cup_maker *add(cup_maker_set *sets, uint64_t key, uint32_t task)
{
    struct cup_maker *place = claim(cup_maker_set_of(sets, key));
    if (!place)
        return NULL;
    place->task = task;
    place->shared = 0;
    __atomic_store_n(&place->key, key, __ATOMIC_SEQ_CST);
    return place;
}

void cup_maker_made(cup_maker_set *sets, uint64_t key, uint32_t task)
{
    if (!sets)
        return;
    cup_maker_gone(sets, key);
    if (task)
        add(sets, key, task);
}

/* Two threads found nobody, and each added its own: one of them at least sees the other's. */
static void share_twins(struct cup_maker *set, struct cup_maker *own)
{
    for (int i = 0; i < CUP_MAKER_WAYS; i++) {
        if (&set[i] == own || __atomic_load_n(&set[i].key, __ATOMIC_SEQ_CST) != own->key)
            continue;
        __atomic_store_n(&set[i].shared, CUP_SHARED, __ATOMIC_RELAXED);
        __atomic_store_n(&own->shared, CUP_SHARED, __ATOMIC_RELAXED);
    }
}

/* Of several that take the place of a task that runs no more one does, the others share it. */
static void name_again(struct cup_maker *known, uint32_t task)
{
    const struct cup_maker own = {.task = task};
    struct cup_maker before = {.state = __atomic_load_n(&known->state, __ATOMIC_ACQUIRE)};
    if (before.task == task || cup_attribution_runs(before.task) ||
        !__atomic_compare_exchange_n(&known->state, &before.state, own.state, false,
                                     __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
        cup_maker_used(known, task, CUP_SHARED);
}

void cup_maker_named(cup_maker_set *sets, uint64_t key, uint32_t task)
{
    struct cup_maker *known = cup_maker_find(sets, key);
    struct cup_maker *own = known || !sets ? NULL : add(sets, key, task);
    if (known)
        name_again(known, task);
    else if (own)
        share_twins(cup_maker_set_of(sets, key), own);
}

void cup_maker_gone(cup_maker_set *sets, uint64_t key)
{
    struct cup_maker *known = cup_maker_find(sets, key);
    if (known)
        __atomic_store_n(&known->key, 0, __ATOMIC_RELEASE);
}

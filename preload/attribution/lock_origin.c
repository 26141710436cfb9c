#include "preload/attribution/lock_origin.h"

#include "preload/attribution/attribution.h"
#include "preload/lifecycle/running_tasks.h"
#include "preload/lifecycle/thread.h"
#include "preload/log/log.h"
#include "preload/python/python.h"
#include "preload/sys/id_table.h"
#include "preload/sys/raw.h"

#include <string.h>

_Static_assert(sizeof(cup_lock_origin_set) == 64, "a set is a cache line");

cup_lock_origin_set *cup_lock_origins, *cup_path_origins;

static const size_t table_bytes = CUP_LOCK_ORIGIN_SETS * sizeof(cup_lock_origin_set);

int cup_lock_origin_init(void)
{
    char *at = cup_raw_mmap(NULL, 2 * table_bytes, PROT_READ | PROT_WRITE,
                            MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (at == MAP_FAILED)
        return -1;
    cup_lock_origins = (cup_lock_origin_set *)at;
    cup_path_origins = (cup_lock_origin_set *)(at + table_bytes);
    return 0;
}

void cup_lock_origin_reset(void)
{
    if (cup_lock_origins)
        madvise(cup_lock_origins, 2 * table_bytes, MADV_DONTNEED);
}

enum { CLAIMED = 1 }; /* a thread is filling the place. No lock or path has this key */

static bool claim_place(struct cup_lock_origin *place, uint64_t expected)
{
    return __atomic_compare_exchange_n(&place->key, &expected, CLAIMED, false, __ATOMIC_ACQUIRE,
                                       __ATOMIC_RELAXED);
}

/* Task and bits at one moment: another task may take over the entry at any time. */
static struct cup_lock_origin read_origin(const struct cup_lock_origin *known)
{
    return (struct cup_lock_origin){.state = __atomic_load_n(&known->state, __ATOMIC_ACQUIRE)};
}

/* Claims a free place of SET, else one whose task no longer runs; NULL: there is none (counted).
 * Several threads may claim places of a set at the same time. */
static struct cup_lock_origin *find_place(struct cup_lock_origin *set)
{
    for (int i = 0; i < CUP_LOCK_ORIGIN_PLACES; i++)
        if (claim_place(&set[i], 0))
            return &set[i];
    for (int i = 0; i < CUP_LOCK_ORIGIN_PLACES; i++) {
        uint64_t key = __atomic_load_n(&set[i].key, __ATOMIC_ACQUIRE);
        if (key > CLAIMED && !cup_task_runs(read_origin(&set[i]).task) && claim_place(&set[i], key))
            return &set[i];
    }
    cup_log_health(CUP_H_LOCKS_DROPPED, 1);
    return NULL;
}

/* NULL: no room. */
static struct cup_lock_origin *add_origin(cup_lock_origin_set *sets, uint64_t key, uint32_t task)
{
    struct cup_lock_origin *place = find_place(cup_lock_origin_set_of(sets, key));
    if (!place)
        return NULL;
    const struct cup_lock_origin own = {.task = task};
    __atomic_store_n(&place->state, own.state, __ATOMIC_RELAXED);
    __atomic_store_n(&place->key, key, __ATOMIC_SEQ_CST);
    return place;
}

void cup_lock_origin_made(cup_lock_origin_set *sets, uint64_t key, uint32_t task)
{
    if (!sets)
        return;
    cup_lock_origin_gone(sets, key);
    if (task)
        add_origin(sets, key, task);
}

/* Two threads may both have found no entry for the key and added one each. Each stored its key
 * before it looks for the other's, with sequentially consistent order, so at least one of them sees
 * the other's entry, and marks both as shared. */
static void share_twins(struct cup_lock_origin *set, struct cup_lock_origin *own, uint64_t key)
{
    for (int i = 0; i < CUP_LOCK_ORIGIN_PLACES; i++) {
        if (&set[i] == own || __atomic_load_n(&set[i].key, __ATOMIC_SEQ_CST) != key)
            continue;
        __atomic_store_n(&set[i].shared, CUP_SHARED, __ATOMIC_RELAXED);
        __atomic_store_n(&own->shared, CUP_SHARED, __ATOMIC_RELAXED);
    }
}

/* TASK takes over the entry if the task that it names no longer runs. If several tasks try that at
 * the same time, one gets the entry, and the others make it shared. */
static void take_over_entry(struct cup_lock_origin *known, uint32_t task)
{
    const struct cup_lock_origin own = {.task = task};
    struct cup_lock_origin before = read_origin(known);
    if (before.task == task || cup_task_runs(before.task) ||
        !__atomic_compare_exchange_n(&known->state, &before.state, own.state, false,
                                     __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
        cup_lock_origin_used(known, task, CUP_SHARED);
}

void cup_lock_origin_named(cup_lock_origin_set *sets, uint64_t key, uint32_t task)
{
    struct cup_lock_origin *known = cup_lock_origin_find(sets, key);
    struct cup_lock_origin *own = known || !sets ? NULL : add_origin(sets, key, task);
    if (known)
        take_over_entry(known, task);
    else if (own)
        share_twins(cup_lock_origin_set_of(sets, key), own, key);
}

void cup_lock_origin_gone(cup_lock_origin_set *sets, uint64_t key)
{
    struct cup_lock_origin *known = cup_lock_origin_find(sets, key);
    if (known)
        __atomic_store_n(&known->key, 0, __ATOMIC_RELEASE);
}

/* ---- paths ------------------------------------------------------------------------------- */

static uint64_t hash_path(const char *path)
{
    return cup_hash_bytes((struct cup_hash){0}, path, strlen(path)).key |
           2; /* 0 and 1 are no keys */
}

/* TASK (0: none is known) used PATH. */
static void note_use(const char *path, uint32_t task)
{
    uint64_t key = hash_path(path);
    struct cup_lock_origin *known = cup_lock_origin_find(cup_path_origins, key);
    uint32_t user = known ? read_origin(known).task : 0;
    if (known && (user == task || cup_task_runs(user)))
        cup_lock_origin_used(known, task, CUP_SHARED);
    else if (task)
        cup_lock_origin_named(cup_path_origins, key, task);
}

/* The only running task that used PATH; 0: none or several did. */
static uint32_t find_user(const char *path)
{
    struct cup_lock_origin *known = cup_lock_origin_find(cup_path_origins, hash_path(path));
    if (!known)
        return 0;
    struct cup_lock_origin user = read_origin(known);
    return !user.shared && cup_task_runs(user.task) ? user.task : 0;
}

void cup_path_used(const char *path)
{
    uint32_t task = cup_attribution_task();
    if (path && (task || cup_path_origins))
        note_use(path, task);
}

/* Only for threads that are not Python's. A Python thread that carries no task may serve several,
 * and open a file for one task that another one looked up. */
uint32_t cup_path_task(const char *path)
{
    return !path || cup_python_thread() ? 0 : find_user(path);
}

void cup_url_used(const char *url, uint32_t task)
{
    note_use(url, task);
}

uint32_t cup_url_task(const char *url)
{
    return find_user(url);
}

bool cup_path_was_used(const char *path, uint32_t task)
{
    struct cup_lock_origin *known =
        cup_path_origins ? cup_lock_origin_find(cup_path_origins, hash_path(path)) : NULL;
    return known && (known->task == task || known->shared);
}

/* Which task made a thing, and whether any other has used it since. Two kinds of things:
 *
 *   - Locks. Python's locks are semaphores (up to 3.13). The one inside a Future, an Event or a
 * queue is initialised by the thread that makes the object. So a lock leads from the thread that
 * takes it to the task that made it.
 *   - Paths of files that a task looked up (stat). A pool of native threads that opens such a file
 *     later does so for that task.
 *
 * A thing that another task used, too, is marked as shared, and attributes nothing any more. */
#ifndef CUPPING_PRELOAD_ATTRIBUTION_LOCK_ORIGIN_H
#define CUPPING_PRELOAD_ATTRIBUTION_LOCK_ORIGIN_H

#include <stdint.h>

/* Instead of a task's number: made for Dask itself. */
#define CUP_MADE_BY_DASK UINT32_MAX

struct cup_lock_origin {
    uint64_t key; /* 0: free */
    union {
        struct {
            uint32_t task;   /* or CUP_MADE_BY_DASK */
            uint32_t shared; /* enum cup_lock_origin_shared */
        };
        uint64_t state; /* both of them */
    };
};

/* Shared: used by a thread that does not work for the task that made it. Signalled: given back by
 * such a thread, which had not taken it. */
enum cup_lock_origin_shared { CUP_SHARED = 1, CUP_SIGNALLED = 2 };

/* A thing lies in one set of four places, which is a cache line: a look-up costs one cache miss at
 * most. */
enum { CUP_LOCK_ORIGIN_SETS = 1 << 14, CUP_LOCK_ORIGIN_PLACES = 4 };
typedef struct cup_lock_origin cup_lock_origin_set[CUP_LOCK_ORIGIN_PLACES];
extern cup_lock_origin_set *cup_lock_origins,
    *cup_path_origins; /* CUP_LOCK_ORIGIN_SETS each, or NULL */

/* KEY was made for TASK (0: none is known); what was known of KEY before is void. Any thread. */
void cup_lock_origin_made(cup_lock_origin_set *sets, uint64_t key, uint32_t task);

/* TASK used KEY (a path) first. If another task that runs does so at the same time, KEY is shared.
 */
void cup_lock_origin_named(cup_lock_origin_set *sets, uint64_t key, uint32_t task);

/* The thing exists no more. */
void cup_lock_origin_gone(cup_lock_origin_set *sets, uint64_t key);

/* Called once, by the constructor: 0, or -1 if there is no memory. Reset: in a forked child. */
int cup_lock_origin_init(void);
void cup_lock_origin_reset(void);

/* ---- looking up: inline, since every lock that is taken or given back does it ---------------- */

static inline struct cup_lock_origin *cup_lock_origin_set_of(cup_lock_origin_set *sets,
                                                             uint64_t key)
{
    return sets[key * UINT64_C(0x9e3779b97f4a7c15) >> 50];
}

/* What is known of KEY; NULL: nothing. */
static inline struct cup_lock_origin *cup_lock_origin_find(cup_lock_origin_set *sets, uint64_t key)
{
    if (!sets)
        return 0;
    struct cup_lock_origin *set = cup_lock_origin_set_of(sets, key);
    for (int i = 0; i < CUP_LOCK_ORIGIN_PLACES; i++)
        if (__atomic_load_n(&set[i].key, __ATOMIC_ACQUIRE) == key)
            return &set[i];
    return 0;
}

/* A thread that works for TASK (0: none is known) used the thing. */
static inline void cup_lock_origin_used(struct cup_lock_origin *known, uint32_t task,
                                        enum cup_lock_origin_shared how)
{
    if (known->task != task && (known->shared & how) != how)
        __atomic_fetch_or(&known->shared, (uint32_t)how, __ATOMIC_RELAXED);
}

#endif

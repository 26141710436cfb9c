/* Who made a thing, and whether anybody else has used it since. Two kinds of things:
 *
 *   locks   Python's locks are semaphores (up to 3.13): the one inside a Future, an Event or a
 * queue was initialised by the thread that made the object, so a lock leads from whoever takes it
 * to the task that it came from. paths   files that a task looked up (stat): a pool of native
 * threads that opens such a file later does so for that task.
 *
 * What anybody else used as well is marked shared, and says nothing any more but that. */
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

/* Used by someone who does not work for its maker. Signalled: given by one who had not taken it. */
enum cup_lock_origin_shared { CUP_SHARED = 1, CUP_SIGNALLED = 2 };

/* A thing lies in one set of four, a cache line: a look-up is one miss at worst, never a walk. */
enum { CUP_LOCK_ORIGIN_SETS = 1 << 14, CUP_LOCK_ORIGIN_PLACES = 4 };
typedef struct cup_lock_origin cup_lock_origin_set[CUP_LOCK_ORIGIN_PLACES];
extern cup_lock_origin_set *cup_lock_origins,
    *cup_path_origins; /* CUP_LOCK_ORIGIN_SETS each, or NULL */

/* KEY was made for TASK (0: for nobody that is known); what was known of it is void. */
void cup_lock_origin_made(cup_lock_origin_set *sets, uint64_t key, uint32_t task);

/* Likewise where others, whose tasks run, may do so at the same time (a path): it is shared then.
 */
void cup_lock_origin_named(cup_lock_origin_set *sets, uint64_t key, uint32_t task);

/* KEY exists no more. */
void cup_lock_origin_gone(cup_lock_origin_set *sets, uint64_t key);

/* Called once, by the constructor: 0 or -1. Reset: in a forked child, and when a log is opened. */
int cup_lock_origin_init(void);
void cup_lock_origin_reset(void);

/* ---- looking up: here, since every lock that is taken or given back goes this way ------------ */

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

/* It was used so by someone who works for TASK (0: for nobody that is known). */
static inline void cup_lock_origin_used(struct cup_lock_origin *known, uint32_t task,
                                        enum cup_lock_origin_shared how)
{
    if (known->task != task && (known->shared & how) != how)
        __atomic_fetch_or(&known->shared, (uint32_t)how, __ATOMIC_RELAXED);
}

#endif

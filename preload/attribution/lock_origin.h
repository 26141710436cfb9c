/* Two hash tables of which task made or first used a lock or a path, and of whether any other task
 * has used it since:
 *
 *   - Locks, by address. Python's locks are semaphores (up to 3.13). The thread that makes a
 *     Future, an Event or a queue initialises the lock inside it. So a thread that takes a lock
 *     can find the task that made it.
 *   - Paths of files that a task looked up (stat), by hash. Pools of native threads (pyarrow's)
 *     open files long after the task looked them up. If only one running task looked a file up, it
 *     is opened for that task. URLs are in the same table: what a task requests from a server on
 *     its own thread (the size or the footer of a file) names it for the pool's later requests.
 *
 * What another task used, too, is marked as shared, and attributes nothing any more. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* In place of a task's number: Dask itself made the lock. */
#define CUP_MADE_BY_DASK UINT32_MAX

struct cup_lock_origin {
    uint64_t key; /* 0: free */
    union {
        struct {
            uint32_t task;   /* or CUP_MADE_BY_DASK */
            uint32_t shared; /* enum cup_lock_origin_shared */
        };
        uint64_t state; /* task and shared in one word */
    };
};

/* Bits. SHARED: a thread that does not work for the task that made it used it. SIGNALLED: such a
 * thread gave the lock without having taken it, which wakes a thread that waits for it. LOST: a
 * thread used it that the task started, and that may have served others by then. */
enum cup_lock_origin_shared { CUP_SHARED = 1, CUP_SIGNALLED = 2, CUP_LOST = 4 };

/* A table has sets of four places. The hash of a key selects a set, and the key can be in any of
 * its places. A set is one cache line, so a look-up costs one cache miss at most. */
enum {
    CUP_LOCK_ORIGIN_BITS = 13,
    CUP_LOCK_ORIGIN_SETS = 1 << CUP_LOCK_ORIGIN_BITS,
    CUP_LOCK_ORIGIN_PLACES = 4
};
typedef struct cup_lock_origin cup_lock_origin_set[CUP_LOCK_ORIGIN_PLACES];
extern cup_lock_origin_set *cup_lock_origins,
    *cup_path_origins; /* CUP_LOCK_ORIGIN_SETS each, or NULL */

/* TASK made KEY: replaces what was known of KEY. If TASK is 0 (none is known), KEY has no entry
 * afterwards. Any thread. */
void cup_lock_origin_made(cup_lock_origin_set *sets, uint64_t key, uint32_t task);

/* The calling thread looks PATH up, or opens it. NULL is allowed. Keeps errno. */
void cup_path_used(const char *path);

/* The task for which the calling thread, which carries none, opens PATH; 0: not known. */
uint32_t cup_path_task(const char *path);

/* TASK requests URL from a server, by a thread that certainly works for it. Guard held. */
void cup_url_used(const char *url, uint32_t task);

/* The only running task that requested URL by a thread that certainly works for it; 0: none or
 * several did. For requests of threads that carry no task: pools of native threads (pyarrow's), and
 * the event loops that work for these. */
uint32_t cup_url_task(const char *url);

/* TASK looked PATH up or opened it, or several tasks did. Paths are compared as text: the same file
 * under another name is another one. */
bool cup_path_was_used(const char *path, uint32_t task);

/* TASK is the first running task that uses KEY (a path). If another running task claims the same at
 * the same time, KEY is shared. Any thread. */
void cup_lock_origin_named(cup_lock_origin_set *sets, uint64_t key, uint32_t task);

/* KEY no longer exists: removes its entry. */
void cup_lock_origin_gone(cup_lock_origin_set *sets, uint64_t key);

/* Called once, by the constructor. Returns 0, or -1 if there is no memory. */
int cup_lock_origin_init(void);

/* In a forked child: clears both tables. */
void cup_lock_origin_reset(void);

/* ---- looking up: inline, since every lock that is taken or given back does it ---------------- */

static inline struct cup_lock_origin *cup_lock_origin_set_of(cup_lock_origin_set *sets,
                                                             uint64_t key)
{
    return sets[key * UINT64_C(0x9e3779b97f4a7c15) >> (64 - CUP_LOCK_ORIGIN_BITS)];
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

/* A thread that works for TASK (0: none is known) used the lock or path: sets the bits HOW unless
 * TASK made it. */
static inline void cup_lock_origin_used(struct cup_lock_origin *known, uint32_t task,
                                        enum cup_lock_origin_shared how)
{
    if (__atomic_load_n(&known->task, __ATOMIC_RELAXED) != task &&
        (__atomic_load_n(&known->shared, __ATOMIC_RELAXED) & how) != how)
        __atomic_fetch_or(&known->shared, (uint32_t)how, __ATOMIC_RELAXED);
}

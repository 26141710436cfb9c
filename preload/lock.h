/* Who made a lock. Python's locks are semaphores (up to 3.13): the one inside a Future, an Event or
 * a queue was initialised by the thread that made the object, so a lock leads from whoever takes it
 * to the task that it came from. A lock that anybody else used as well is marked: work may have
 * been handed over through it. */
#ifndef CUPPING_LOCK_H
#define CUPPING_LOCK_H

#include <stdbool.h>
#include <stdint.h>

/* Instead of a task's number: the lock was made for Dask itself. */
#define CUP_MADE_BY_DASK UINT32_MAX

struct cup_lock {
    uint64_t address; /* 0: free */
    uint32_t maker;   /* task, or CUP_MADE_BY_DASK */
    uint32_t shared;  /* 1: used by someone who does not work for its maker */
};

/* LOCK was initialised by someone who works for MAKER (0: for nobody that is known). */
void cup_lock_made(const void *lock, uint32_t maker);

/* LOCK is destroyed. */
void cup_lock_gone(const void *lock);

/* In a forked child, and when a log is opened. */
void cup_lock_reset(void);

/* Called once, by the constructor. */
int cup_lock_init(void);

/* ---- looking up: here, since every lock that is taken or given back goes this way ------------ */

/* A lock lies in one set of four, a cache line: a look-up is one miss at worst, and never a walk.
 */
enum { CUP_LOCK_SETS = 1 << 14, CUP_LOCK_WAYS = 4 };

extern struct cup_lock (*cup_lock_table)[CUP_LOCK_WAYS]; /* CUP_LOCK_SETS sets, or NULL */

static inline struct cup_lock *cup_lock_set(const void *lock)
{
    return cup_lock_table[(uintptr_t)lock * UINT64_C(0x9e3779b97f4a7c15) >> 50];
}

/* What is known of LOCK; NULL: nothing. */
static inline struct cup_lock *cup_lock_find(const void *lock)
{
    if (!cup_lock_table)
        return 0;
    struct cup_lock *set = cup_lock_set(lock);
    for (int i = 0; i < CUP_LOCK_WAYS; i++)
        if (__atomic_load_n(&set[i].address, __ATOMIC_ACQUIRE) == (uintptr_t)lock)
            return &set[i];
    return 0;
}

/* LOCK was used by someone who works for TASK (0: for nobody that is known). */
static inline void cup_lock_used(struct cup_lock *lock, uint32_t task)
{
    if (lock->maker != task && !lock->shared)
        __atomic_store_n(&lock->shared, 1, __ATOMIC_RELAXED);
}

#endif

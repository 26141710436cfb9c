/* Counts the threads that are reading their own Python stack. When the interpreter ends, it frees
 * the thread states and frames of daemon threads without stopping them first. So the interpreter's
 * end waits (in atexit) until no thread reads frames. */
#ifndef CUPPING_PRELOAD_STACKS_STACK_WALKERS_H
#define CUPPING_PRELOAD_STACKS_STACK_WALKERS_H

#include "preload/lifecycle/thread.h"

/* Threads use different cache lines, so that they do not slow each other down; two threads whose
 * ids differ by a multiple of CUP_STACK_WALKERS share one, and the first of them that ends its walk
 * clears the mark for both. */
enum { CUP_STACK_WALKERS = 256 };
struct cup_stack_walker {
    uint32_t inside;
} __attribute__((aligned(64)));
extern struct cup_stack_walker cup_stack_walkers[CUP_STACK_WALKERS] CUP_OURS;

/* Call begins() before asking whether stacks are on, and ends() after the last frame was read.
 * There is no memory barrier: cup_stack_walkers_wait() first waits longer than a store needs to
 * become visible to another processor. */
static inline struct cup_stack_walker *cup_stack_walk_begins(void)
{
    struct cup_stack_walker *walk = &cup_stack_walkers[cup_self.tid % CUP_STACK_WALKERS];
    __atomic_store_n(&walk->inside, 1, __ATOMIC_RELAXED);
    __asm__ volatile("" ::: "memory");
    return walk;
}

static inline void cup_stack_walk_ends(struct cup_stack_walker *walk)
{
    __atomic_store_n(&walk->inside, 0, __ATOMIC_RELEASE);
}

/* Call it after switching stacks off. Waits until no thread reads frames, 0.1 s at most. */
void cup_stack_walkers_wait(void);

#endif

/* Threads that read their stacks at this moment. When the interpreter ends it takes the states of
 * its daemon threads away, with the memory that their frames lie in, whatever they do: it is held
 * up until none reads there. */
#ifndef CUPPING_PRELOAD_STACKS_STACK_WALKERS_H
#define CUPPING_PRELOAD_STACKS_STACK_WALKERS_H

#include "preload/lifecycle/thread.h"

/* A line of memory for each thread, more or less: no two write into one all the time. */
enum { CUP_STACK_WALKERS = 256 };
struct cup_stack_walker {
    uint32_t inside;
} __attribute__((aligned(64)));
extern struct cup_stack_walker cup_stack_walkers[CUP_STACK_WALKERS] CUP_OURS;

/* Before it is looked whether there are stacks, and after the last frame. No barrier: the other
 * side waits longer than any store takes to be seen. */
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

/* After it was said that there are no stacks: waits until nobody is inside, a tenth of a second at
 * most. */
void cup_stack_walkers_wait(void);

/* In a forked child nobody is. */
void cup_stack_walkers_reset(void);

#endif

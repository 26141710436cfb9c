/* Threads that read their stacks at this moment. When the interpreter ends it takes the states of
 * its daemon threads away, with the memory that their frames lie in, whatever they do: it is held
 * up until none reads there. */
#ifndef CUPPING_WALKS_H
#define CUPPING_WALKS_H

#include "preload/thread.h"

/* A line of memory for each thread, more or less: no two write into one all the time. */
enum { CUP_WALKS = 256 };
struct cup_walk {
    uint32_t inside;
} __attribute__((aligned(64)));
extern struct cup_walk cup_walks[CUP_WALKS] CUP_OURS;

/* Before it is looked whether there are stacks, and after the last frame. No barrier: the other
 * side waits longer than any store takes to be seen. */
static inline struct cup_walk *cup_walk_begins(void)
{
    struct cup_walk *walk = &cup_walks[cup_self.tid % CUP_WALKS];
    __atomic_store_n(&walk->inside, 1, __ATOMIC_RELAXED);
    __asm__ volatile("" ::: "memory");
    return walk;
}

static inline void cup_walk_ends(struct cup_walk *walk)
{
    __atomic_store_n(&walk->inside, 0, __ATOMIC_RELEASE);
}

/* After it was said that there are no stacks: waits until nobody is inside, a tenth of a second at
 * most. */
void cup_walks_wait(void);

/* In a forked child nobody is. */
void cup_walks_reset(void);

#endif

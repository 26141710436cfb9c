/* Policy of events: which of the things that happen in a task's context take the stack they happen
 * at, for whom, and for how many they stand. Hooks only tell; see docs/functions.md.
 *
 * A read costs its stack (some 100 ns) where it is large or the thread took none lately; of those
 * that follow each other closely one in several does, chosen at random, and stands for as many. So
 * calls, bytes and time of a stack are right on average, and exact where reads are large or rare.
 * Allocations are chosen by their bytes. */
#ifndef CUPPING_PRELOAD_STACKS_STACK_EVENTS_H
#define CUPPING_PRELOAD_STACKS_STACK_EVENTS_H

#include "preload/lifecycle/thread.h"
#include "preload/stacks/stack_uses.h"
#include "preload/stacks/stacks.h"
#include "preload/sys/clock.h"

enum {
    CUP_EVENT_LARGE = 4096,            /* bytes of a transfer that always takes its stack */
    CUP_EVENT_GAP_NS = 10000,          /* so does one that comes so much after the last that did */
    CUP_EVENT_ONE_IN = 16,             /* of the others; a power of two */
    CUP_EVENT_CHARACTERS = 4096,       /* of single characters, on average */
    CUP_EVENT_ALLOC_BYTES = 512 << 10, /* between allocations that do, on average */
    CUP_EVENT_ALLOC_LARGE = 4 << 20,   /* of one that always does */
    CUP_EVENT_NATIVE_BYTES = 64 << 10, /* of a transfer that takes its native frames, too, */
    CUP_EVENT_NATIVE_NS = 50000,       /* or so long a one; others where they are cheap */
    CUP_EVENT_WAIT_NS = 1000000,       /* shorter waits do not */
};

/* ---- stacks ------------------------------------------------------------------------------ */

/* Node of the calling thread's stack with its native frames, which works for TASK. On a thread
 * other than TASK's own it stands on a node CUP_NODE_HELPER, on top of the place where TASK's own
 * thread last handed work over, or waited for it. 0: not known. Guard held. */
uint32_t cup_event_node(uint32_t task);

/* What the stacks of TASK's helpers stand on. */
uint32_t cup_event_under(uint32_t task);

/* TASK, which the calling thread runs, makes a lock or begins to wait for one: if work is handed
 * to other threads, then here. Guard held. */
void cup_event_hands_over(void);

/* ---- reads and writes -------------------------------------------------------------------- */

/* If stacks are on. NODE: where it was asked for; 0: here. */
void cup_event_take(enum cup_stack_use use, uint32_t task, uint32_t node, uint32_t weight,
                    uint64_t bytes, uint64_t ns);

/* Marsaglia's xorshift; seeded by the first that comes. */
uint32_t cup_event_seed(void);
static inline uint32_t cup_event_random(void)
{
    uint32_t number = cup_self.event_random;
    if (__builtin_expect(!number, 0))
        number = cup_event_seed();
    number ^= number << 13;
    number ^= number >> 17;
    number ^= number << 5;
    return cup_self.event_random = number;
}

/* The calling thread moved BYTES for TASK (0: none) in NS, until NOW (ticks). Guard held. */
static inline void cup_event_moved(enum cup_stack_use use, uint32_t task, uint32_t node,
                                   uint64_t bytes, uint64_t ns, uint64_t now)
{
    uint32_t weight = 1, time = (uint32_t)(now >> 10);
    if (!task)
        return;
    if (bytes < CUP_EVENT_LARGE &&
        cup_ticks_ns((uint64_t)(time - cup_self.event_time) << 10) < CUP_EVENT_GAP_NS) {
        if (cup_event_random() % CUP_EVENT_ONE_IN)
            return;
        weight = CUP_EVENT_ONE_IN;
    }
    cup_self.event_time = time;
    cup_event_take(use, task, node, weight, bytes, ns);
}

/* Likewise a single character, which is not timed. */
static inline void cup_event_character(enum cup_stack_use use, uint32_t task)
{
    if (__builtin_expect(cup_self.characters-- > 1, 1))
        return;
    cup_self.characters = 1 + cup_event_random() % (2 * CUP_EVENT_CHARACTERS - 1);
    cup_event_take(use, task, 0, CUP_EVENT_CHARACTERS, 1, 0);
}

/* ---- waits ------------------------------------------------------------------------------- */

/* The calling thread was blocked for TASK. WAITS: 1, or 0 where it goes on with one that was
 * counted. Guard held. */
void cup_event_waited(uint32_t task, enum cup_wait_class class, uint32_t waits, uint64_t ns);

/* ---- allocations ------------------------------------------------------------------------- */

/* The countdown has come to its end with BYTES for TASK. Keeps errno. */
void cup_event_alloc_due(uint32_t task, size_t bytes);

/* The calling thread allocated BYTES for TASK. */
static inline void cup_event_allocated(uint32_t task, size_t bytes)
{
    if (__builtin_expect((cup_self.alloc_left -= (int64_t)bytes) < 0, 0))
        cup_event_alloc_due(task, bytes);
}

/* ---- the whole --------------------------------------------------------------------------- */

/* A new log, or a forked child. */
void cup_events_reset(void);

#endif

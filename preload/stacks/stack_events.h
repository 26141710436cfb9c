/* The sampling policy of events: which reads, writes, waits and allocations record the stack where
 * they happen, and how many events each recorded one stands for (its weight). Hooks only report
 * events; see docs/functions.md.
 *
 * Reading a stack costs 20 ns to some microseconds. A read or write always records its stack if it
 * is large, or if the thread's last recorded one is some time ago. Of small ones in quick
 * succession a random one in 16 does, with that weight. Allocations are sampled by
 * bytes. In addition each kind of event has a budget of stacks: a process that exceeds it records
 * fewer, with larger weights. So the calls, bytes and time of a stack are right on average, and
 * exact where events are large or rare. */
#pragma once

#include "preload/lifecycle/thread.h"
#include "preload/stacks/stack_uses.h"
#include "preload/stacks/stacks.h"
#include "preload/sys/clock.h"

enum {
    CUP_EVENT_LARGE = 4096,          /* bytes: a transfer this large records its stack, */
    CUP_EVENT_GAP_NS = 10000,        /* and so does the first one after such a pause; */
    CUP_EVENT_SMALL_BITS = 4,        /* of the others one in 16 does */
    CUP_EVENT_CHARACTERS = 4096,     /* single characters (getc): one in 4096 on average */
    CUP_EVENT_ALLOC_BYTES = 3 << 19, /* mean bytes allocated between two recorded allocations */
    CUP_EVENT_ALLOC_LARGE = 4 << 20, /* bytes: an allocation this large is always recorded */
    /* A transfer of so many bytes, or so many nanoseconds, records native frames even if libunwind
     * must unwind them every time (cup_stack_event_here). */
    CUP_EVENT_NATIVE_BYTES = 64 << 10,
    CUP_EVENT_NATIVE_NS = 50000,
    CUP_EVENT_WAIT_NS = 1000000, /* shorter waits record no stack */
};

/* ---- stacks ------------------------------------------------------------------------------ */

/* The node of the calling thread's stack, with native frames; the thread works for TASK. If it is
 * not TASK's own thread, its frames are above a node CUP_NODE_HELPER, which is above the place
 * where TASK's own thread last handed work to other threads or waited for them. 0: unknown. The
 * guard is held. */
uint32_t cup_event_node(uint32_t task);

/* The node CUP_NODE_HELPER of TASK, above which cup_event_node() puts the frames of helper threads.
 * The guard is held. */
uint32_t cup_event_under(uint32_t task);

/* The calling thread's task creates a lock or begins to wait for one: the place where it may hand
 * work to other threads. The guard is held. */
void cup_event_hands_over(void);

/* ---- budgets ------------------------------------------------------------------------------ */

enum cup_event_kind { CUP_EVENT_TRANSFER, CUP_EVENT_WAIT, CUP_EVENT_ALLOC, CUP_EVENT_KINDS };

/* How many stacks of events of a kind the process may record: a second in the long run, and at once
 * at its begin or after a pause. */
struct cup_event_budget {
    uint32_t a_second, at_once;
};
static const struct cup_event_budget cup_event_budgets[CUP_EVENT_KINDS] = {
    [CUP_EVENT_TRANSFER] = {1000, 2048},
    [CUP_EVENT_WAIT] = {10, 256},
    [CUP_EVENT_ALLOC] = {10, 256},
};

/* For each kind, since when its budget has not been used, in ticks. Each recorded stack moves this
 * time on, by the time in which the budget grows by one. */
extern uint64_t cup_event_unspent[CUP_EVENT_KINDS] CUP_OURS;

/* The binary logarithm of the weight that an event of the smallest size should have at NOW (ticks);
 * 0 while more than a quarter of the budget is left. */
static inline uint32_t cup_event_thinning(enum cup_event_kind kind, uint64_t now)
{
    enum { LEVELS = 9 };
    struct cup_event_budget budget = cup_event_budgets[kind];
    uint64_t reserve_ns = UINT64_C(250000000) * budget.at_once / budget.a_second;
    uint64_t left_ns =
        cup_ticks_ns(now - __atomic_load_n(&cup_event_unspent[kind], __ATOMIC_RELAXED));
    if (__builtin_expect(left_ns >= reserve_ns, 1))
        return 0;
    return 1 + (uint32_t)((reserve_ns - left_ns) * LEVELS / (reserve_ns + 1));
}

/* No event has a limit from now on. Called once, before any event. */
void cup_events_want_all(void);

/* A stack is recorded at NOW (ticks). */
void cup_event_spend(enum cup_event_kind kind, uint64_t now);

/* Reduces the logarithm of a weight by that of SIZE / SMALL: an event twice as large is recorded
 * twice as often. */
static inline uint32_t cup_event_lighten(uint32_t bits, uint64_t size, uint64_t small)
{
    while (bits && size >= 2 * small) {
        bits--;
        size /= 2;
    }
    return bits;
}

/* A random number, not 0: Marsaglia's xorshift32 (2003), seeded on the thread's first use. */
static inline uint32_t cup_event_random(void)
{
    uint32_t number = cup_self.event_random;
    if (__builtin_expect(!number, 0))
        number = ((uint32_t)cup_ticks() ^ (uint32_t)((uintptr_t)&cup_self >> 4) * 2654435761u) | 1;
    number ^= number << 13;
    number ^= number >> 17;
    number ^= number << 5;
    return cup_self.event_random = number;
}

/* ---- reads and writes -------------------------------------------------------------------- */

/* Adds an event to the sums of TASK. NODE: the stack that asked for the transfer; 0: the current
 * one. BYTES and NS are of one event, which ended at NOW (ticks); WEIGHT is the number of events.
 * Does nothing if stacks are off. */
void cup_event_take(enum cup_stack_use use, uint32_t task, uint32_t node, uint32_t weight,
                    uint64_t bytes, uint64_t ns, uint64_t now);

/* The calling thread read or wrote BYTES for TASK (0: none) in NS nanoseconds, until NOW (ticks).
 * The guard is held. */
static inline void cup_event_moved(enum cup_stack_use use, uint32_t task, uint32_t node,
                                   uint64_t bytes, uint64_t ns, uint64_t now)
{
    uint32_t time = (uint32_t)(now >> 10), bits = cup_event_thinning(CUP_EVENT_TRANSFER, now);
    if (!task)
        return;
    if (__builtin_expect(bits != 0, 0)) {
        bits = cup_event_lighten(bits, bytes, CUP_EVENT_LARGE);
        bits = cup_event_lighten(bits, ns, CUP_EVENT_GAP_NS);
    }
    if (bytes < CUP_EVENT_LARGE && bits < CUP_EVENT_SMALL_BITS &&
        cup_ticks_ns((uint64_t)(time - cup_self.event_time) << 10) < CUP_EVENT_GAP_NS)
        bits = CUP_EVENT_SMALL_BITS;
    if (bits && cup_event_random() & ((1u << bits) - 1))
        return;
    cup_self.event_time = time;
    cup_event_take(use, task, node, 1u << bits, bytes, ns, now);
}

/* The same for a single character, whose duration is not measured. */
static inline void cup_event_character(enum cup_stack_use use, uint32_t task)
{
    if (__builtin_expect(cup_self.characters-- > 1, 1))
        return;
    cup_self.characters = 1 + cup_event_random() % (2 * CUP_EVENT_CHARACTERS - 1);
    cup_event_take(use, task, 0, CUP_EVENT_CHARACTERS, 1, 0, cup_ticks());
}

/* ---- waits ------------------------------------------------------------------------------- */

/* The calling thread was blocked for NS nanoseconds while it worked for TASK. WAITS: 1; 0 if this
 * continues a wait that was counted. The guard is held. */
void cup_event_waited(uint32_t task, enum cup_wait_class class, uint32_t waits, uint64_t ns);

/* ---- allocations ------------------------------------------------------------------------- */

/* The countdown to the next recorded allocation ended with BYTES for TASK. Keeps errno. */
void cup_event_alloc_due(uint32_t task, size_t bytes);

/* The calling thread allocated BYTES for TASK. */
static inline void cup_event_allocated(uint32_t task, size_t bytes)
{
    if (__builtin_expect((cup_self.alloc_left -= (int64_t)bytes) < 0, 0))
        cup_event_alloc_due(task, bytes);
}

/* A new log, or a forked child. */
void cup_events_reset(void);

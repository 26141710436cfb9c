/* Policy: whose is what this thread does now? See docs/contributing/attribution.md. */
#ifndef CUPPING_PRELOAD_ATTRIBUTION_ATTRIBUTION_H
#define CUPPING_PRELOAD_ATTRIBUTION_ATTRIBUTION_H

#include "include/log_format.h"
#include "preload/sys/library_variable.h"

#include <stdbool.h>

struct cup_descriptor;

struct cup_owner {
    struct cup_block *block; /* counts it; NULL: no block could be had */
    enum cup_method method;
    uint32_t epoch; /* way SOLE: what cup_attribution_confirm() compares */
};

/* Resolves the calling thread; for a call on a descriptor, also by that (NULL: none). Call it
 * before the wrapped call, never after: afterwards the interpreter may be on its way out. Strongest
 * way first; guesses nothing. */
struct cup_owner cup_attribution(struct cup_descriptor *descriptor);

/* The task that the thread itself carries: its own, its context's, the one whose job it was handed,
 * or the one that started it; 0: none. Any thread; changes nothing. */
uint32_t cup_attribution_task(void);

/* The task for which a descriptor that the thread opens now is opened: its own, or its context's.
 */
uint32_t cup_attribution_opener(void);

/* After the call: a sole task that did not stay the only one cannot be named. */
void cup_attribution_confirm(struct cup_owner *owner);

/* Block of the task that cup_attribution_task() names; NULL if none. Keeps errno. Not on a thread
 * that runs a task. */
struct cup_block *cup_attribution_helped(void);

/* TASK runs in this process. Tasks that run long stay in their place, or near it, however many
 * begin and end meanwhile. */
enum { CUP_RUNNING_SLOTS = 1024, CUP_RUNNING_PROBE = 8 };
extern uint32_t cup_attribution_running[CUP_RUNNING_SLOTS] CUP_OURS;
static inline bool cup_attribution_runs(uint32_t task)
{
    for (uint32_t i = 0; i < CUP_RUNNING_PROBE; i++)
        if (__atomic_load_n(&cup_attribution_running[(task + i) % CUP_RUNNING_SLOTS],
                            __ATOMIC_ACQUIRE) == task)
            return task != 0;
    return false;
}

/* The threads that TASK started serve others too: none of them is its helper any more. */
void cup_attribution_void(uint32_t task);

/* TASK, which begins or ends, is an async one: they alone run on a Dask server's event loop. */
void cup_attribution_async(uint32_t task, bool runs);

/* How many tasks run in this process (times 2^32) plus the sum of their numbers, in one word: two
 * words could be read in the middle of a begin or an end, and then name a task that nobody runs.
 * With one task the sum is its number; a sum that outgrows 32 bits only makes many look like more.
 */
extern uint64_t cup_attribution_tasks CUP_OURS;
static inline bool cup_attribution_any(void)
{
    return __atomic_load_n(&cup_attribution_tasks, __ATOMIC_SEQ_CST) >> 32;
}
void cup_attribution_begin(uint32_t task);
void cup_attribution_end(uint32_t task);
void cup_attribution_reset(void);

#endif

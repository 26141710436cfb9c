/* Policy: whose is what this thread does now? See docs/contributing/attribution.md. */
#ifndef CUPPING_PRELOAD_ATTRIBUTION_ATTRIBUTION_H
#define CUPPING_PRELOAD_ATTRIBUTION_ATTRIBUTION_H

#include "include/log_format.h"
#include "preload/lifecycle/running_tasks.h"
#include "preload/sys/library_variable.h"

#include <stdbool.h>

struct cup_owner {
    struct cup_block *block; /* counts it; NULL: no block could be had */
    enum cup_method method;
    uint32_t epoch; /* way SOLE: what cup_attribution_confirm() compares */
};

/* Resolves the calling thread, by the strongest method that finds a task; it guesses nothing. For a
 * call on a descriptor also by OPENER, the number of the task that opened it (NULL: no descriptor);
 * that becomes 0 if this thread works for another one. Call it before the wrapped call, never
 * after: then the interpreter may be on its way out. Guard held. */
struct cup_owner cup_attribution(uint32_t *opener);

/* A thread that works for TASK (0: for none that is known) uses the descriptor that *OPENER opened:
 * one that two tasks use attributes nothing. */
static inline void cup_attribution_opener_used(uint32_t *opener, uint32_t task)
{
    if (*opener && *opener != task)
        *opener = 0;
}

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

/* The threads that TASK started serve others too: none of them is its helper any more. */
void cup_attribution_void(uint32_t task);

/* TASK, which begins or ends, is an async one: they alone run on a Dask server's event loop. */
void cup_attribution_async(uint32_t task, bool runs);

/* A row of the lifecycle table. */
void cup_attribution_reset(void);

#endif

/* Policy: which task does the calling thread work for now? See docs/contributing/attribution.md. */
#ifndef CUPPING_PRELOAD_ATTRIBUTION_ATTRIBUTION_H
#define CUPPING_PRELOAD_ATTRIBUTION_ATTRIBUTION_H

#include "include/log_format.h"
#include "preload/lifecycle/running_tasks.h"
#include "preload/sys/library_variable.h"

#include <stdbool.h>

struct cup_owner {
    struct cup_block *block; /* counts the call; NULL: there was no room for a block */
    enum cup_method method;
    uint32_t epoch; /* method SOLE: what cup_attribution_confirm() compares */
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

/* The task that the thread carries: the one that it runs, else its context's, else the one whose
 * job it was handed, else the one that started it; 0: none. Changes nothing. */
uint32_t cup_attribution_task(void);

/* The task for which the thread opens a descriptor now: the one that it runs, else its context's;
 * 0: none. */
uint32_t cup_attribution_opener(void);

/* After the call: if another task began or ended during it, the sole task is not sure, and the call
 * is unattributed. */
void cup_attribution_confirm(struct cup_owner *owner);

/* The block of the task that cup_attribution_task() names, on a thread that runs none; NULL: no
 * task, or no room. Keeps errno. */
struct cup_block *cup_attribution_helped(void);

/* The threads that TASK started serve other tasks, too: from now on none of them inherits TASK.
 * Writes a VOID record. */
void cup_attribution_void(uint32_t task);

/* TASK, which begins (RUNS) or ends, is an async one: only those run on a Dask server's event loop.
 */
void cup_attribution_async(uint32_t task, bool runs);

/* A row of the lifecycle table. */
void cup_attribution_reset(void);

#endif

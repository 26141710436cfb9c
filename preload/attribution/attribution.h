/* Policy: which task does the calling thread work for now? See docs/contributing/attribution.md. */
#pragma once

#include "include/log_format.h"
#include "preload/sys/library_variable.h"

#include <stdbool.h>

/* The task to which a call is attributed. */
struct cup_owner {
    struct cup_block *block; /* counts the call; NULL: there was no room for a block */
    enum cup_method method;
    uint32_t epoch; /* method SOLE: what cup_attribution_confirm() compares */
};

/* Attributes a call of the calling thread to a task, by the strongest method that finds one; it
 * guesses nothing. For a call on a descriptor, *OPENER is the number of the task that opened it,
 * and is set to 0 if this thread works for another task; else OPENER is NULL. Call it before the
 * wrapped call, never after: after the call, the interpreter may be ending, and must not be read.
 * Guard held. */
struct cup_owner cup_attribution(uint32_t *opener);

/* A thread that works for TASK (0: no task is known) uses the descriptor that task *OPENER opened.
 * If TASK is another task, *OPENER becomes 0: a descriptor that two tasks use attributes nothing.
 */
static inline void cup_attribution_opener_used(uint32_t *opener, uint32_t task)
{
    if (*opener && *opener != task)
        *opener = 0;
}

/* The task that the calling thread carries: the one that it runs, else its context's, else the one
 * that submitted its job, else the one that started it, unless the thread holds a lock that may be
 * other tasks'; 0: none. Changes nothing. */
uint32_t cup_attribution_task(void);

/* The task to which a descriptor belongs that the calling thread opens now: the task that it runs,
 * else its context's; 0: none. */
uint32_t cup_attribution_opener(void);

/* The task of the calling thread's context, if the context still counts (see attribution.c), on a
 * thread that runs no task; 0: none. */
uint32_t cup_attribution_context(void);

/* Call it after the wrapped call. If method SOLE attributed the call, and any task began or ended
 * during it, the call becomes unattributed: the task was not the only one all the time. */
void cup_attribution_confirm(struct cup_owner *owner);

/* The block of the task that cup_attribution_task() names, on a thread that runs none; NULL: no
 * task, or no room. Keeps errno. */
struct cup_block *cup_attribution_helped(void);

/* The threads that TASK started serve other tasks, too: from now on none of them inherits TASK.
 * Writes a VOID record, by which a reader makes unattributed what they did before. */
void cup_attribution_void(uint32_t task);

/* The async task TASK begins (RUNS) or ends. On the event loop of a Dask server, only contexts of
 * async tasks count. */
void cup_attribution_async(uint32_t task, bool runs);

/* A row of the lifecycle table. */
void cup_attribution_reset(void);

/* What Dask knows of a task besides its key: the span (a section that users name in their code),
 * each recorded once, and the inputs, which are results of other tasks. All functions need the GIL.
 */
#pragma once

#include "preload/python/python.h"

#include <stdint.h>

/* The span of a worker's TaskState (which may be NULL): sets *NAME and *ID to the string ids of its
 * name and of Dask's id, unless it has no span. */
void cup_spans_of_task(cup_object *task_state, uint32_t *name, uint32_t *id);

/* Records the spans that a scheduler got since the last call. ID: its SERVER record. */
void cup_spans_of_scheduler(cup_object *scheduler, uint32_t id);

/* Records the number and the size of the inputs of a task that begins (TaskState.dependencies), and
 * the key of one of them; nothing if it has none. STATE: the worker's TaskState, or NULL. */
void cup_inputs_of_task(cup_object *state, uint32_t task);

/* The scheduler is gone, and another server takes its slot. */
void cup_spans_evict(uint32_t id);

/* A forked child: nothing is recorded in its log yet. */
void cup_spans_reset(void);

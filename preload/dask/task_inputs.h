/* The inputs of a task: results of other tasks, as listed by Dask in TaskState.dependencies. */
#ifndef CUPPING_PRELOAD_DASK_TASK_INPUTS_H
#define CUPPING_PRELOAD_DASK_TASK_INPUTS_H

#include "preload/python/python.h"

/* Records the number and the size of the inputs of a task that begins, and the key of one of them;
 * nothing if it has none. STATE: the worker's TaskState, or NULL. Needs the GIL. */
void cup_inputs_of_task(cup_object *state, uint32_t task);

#endif

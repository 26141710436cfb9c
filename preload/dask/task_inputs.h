/* What a task is made from: other tasks' results, by Dask's own record of it. */
#ifndef CUPPING_PRELOAD_DASK_TASK_INPUTS_H
#define CUPPING_PRELOAD_DASK_TASK_INPUTS_H

#include "preload/python/python.h"

/* Records the inputs of a task that begins, unless it has none. STATE: the worker's TaskState of
 * it, or NULL. GIL. */
void cup_inputs_of_task(cup_object *state, uint32_t task);

#endif

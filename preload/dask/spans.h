/* Dask's spans (sections that users name in their code), each recorded once. All functions need the
 * GIL. */
#ifndef CUPPING_PRELOAD_DASK_SPANS_H
#define CUPPING_PRELOAD_DASK_SPANS_H

#include "preload/python/python.h"

#include <stdint.h>

/* The span of a worker's TaskState (which may be NULL): sets *NAME and *ID to the string ids of its
 * name and of Dask's id, unless it has no span. */
void cup_spans_of_task(cup_object *task_state, uint32_t *name, uint32_t *id);

/* Records the spans that a scheduler got since the last call. ID: its SERVER record. */
void cup_spans_of_scheduler(cup_object *scheduler, uint32_t id);

/* A forked child: nothing is recorded in its log yet. */
void cup_spans_reset(void);

#endif

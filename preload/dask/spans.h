/* Dask's spans (sections that users name in their code), each recorded once. All functions need the
 * GIL. */
#ifndef CUPPING_PRELOAD_DASK_SPANS_H
#define CUPPING_PRELOAD_DASK_SPANS_H

#include "preload/python/python.h"

#include <stdint.h>

/* The span of a worker's TaskState: string ids of its name and of Dask's id; both 0: no span. */
struct cup_span_strings {
    uint32_t name, id;
};
struct cup_span_strings cup_spans_of_task(cup_object *task_state);

/* Records the spans that a scheduler got since the last call. ID: its SERVER record. */
void cup_spans_of_scheduler(cup_object *scheduler, uint32_t id);

/* A forked child: nothing is recorded in its log yet. */
void cup_spans_reset(void);

#endif

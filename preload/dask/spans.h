/* Names of Dask's spans, told once each. GIL. */
#ifndef CUPPING_PRELOAD_DASK_SPANS_H
#define CUPPING_PRELOAD_DASK_SPANS_H

#include "preload/python/python.h"

#include <stdint.h>

/* The span that a worker's TaskState is in: its name and id, strings of the log; 0: in none. */
struct cup_span_strings {
    uint32_t name, id;
};
struct cup_span_strings cup_spans_of_task(cup_object *task_state);

/* Those that a scheduler (SERVER record ID) has come to know since the last call. */
void cup_spans_of_scheduler(cup_object *scheduler, uint32_t id);

/* In a forked child. */
void cup_spans_reset(void);

#endif

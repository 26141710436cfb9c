/* How a task ended, as the frames of Dask's worker show it. Releases of Dask differ:
 * docs/releases.md. Needs the guard and the GIL. */
#pragma once

#include "preload/python/frames.h"
#include "preload/task/task.h"

#include <stdbool.h>
#include <stdint.h>

struct cup_outcome {
    enum cup_task_status status;
    uint64_t result_bytes; /* CUP_UNKNOWN64: not known */
    uint32_t error;        /* string: the exception; 0: none, or not known */
    bool has_message;      /* Dask had made its message already; if not, size and error are not
                              known yet */
};

/* FUNCTION: the frame of Dask's function that called the task. EXIT: the frame of the context
 * manager's __exit__ that it is in; NULL: none. *LOCALS: as in cup_frames_local(). */
struct cup_outcome cup_outcome_read(struct cup_frame function, const struct cup_frame *exit,
                                    cup_object **locals);

/* The same from Dask's message alone. */
struct cup_outcome cup_outcome_of_message(cup_object *message);

/* What a call of Coffea's Runner is to do: the work items that Coffea's preprocessing made, read
 * from the local variables of the Runner's function. No code of the user runs. All functions need
 * the GIL. */
#pragma once

#include "include/log_format.h"
#include "preload/python/frames.h"

/* Continues to fill in the plan of RECORD, which is in the log, from BODY, the Runner's frame with
 * the variables executor and chunks. Coffea assigns `chunks` its final value before `executor`, so
 * it is called only when there is an executor. Each call reads at most some thousand work items.
 * Returns true if it changed the record. */
bool cup_runner_plan_read(struct cup_r_run *record, struct cup_frame body);

/* Registers a function with Python's atexit, once, that records the type of the exception by which
 * the program ends, if it ends by one: KeyboardInterrupt after Ctrl-C. */
void cup_runner_plan_end(void);

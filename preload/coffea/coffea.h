/* Reads what Coffea knows: the work item of a chunk, when process() begins and ends, and what
 * Coffea reports of the chunk afterwards. All functions need the GIL and the guard. */
#pragma once

#include "preload/python/frames.h"
#include "preload/task/task.h"

/* Coffea's _work_function read the clock, before (tic) or after (toc) it called process(). TOP: its
 * frame. */
void cup_coffea_clock(struct cup_frame top, struct cup_moment now);

/* The calling thread is not inside _work_function. If a chunk that Coffea's clock calls began is
 * still open, the function raised an exception: ends the chunk as failed. */
void cup_coffea_left(int64_t now_ns);

/* A row of the lifecycle table. */
void cup_coffea_child_begins(void);

/* Records the versions of Coffea, uproot, awkward and numpy, once per log. */
void cup_coffea_note_versions(void);

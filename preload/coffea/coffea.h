/* Reads what Coffea reports of a chunk: the columns that it accessed, the bytes that uproot
 * requested, its entries. All functions need the GIL and the guard. */
#pragma once

#include "preload/python/frames.h"

/* The calling thread's task is a chunk, and process() has returned: records what Coffea is about to
 * report of it. FRAME: of _work_function, whose work item is ITEM. LOCALS: see cup_frames_local().
 */
void cup_coffea_report(struct cup_frame frame, cup_object *item, cup_object **locals);

/* A row of the lifecycle table. */
void cup_coffea_child_begins(void);

/* Records the versions of Coffea, uproot, awkward and numpy, once per log. */
void cup_coffea_note_versions(void);

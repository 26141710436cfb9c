/* What Coffea tells: work items, and the border between opening a file and processing it. */
#ifndef CUPPING_PRELOAD_COFFEA_COFFEA_H
#define CUPPING_PRELOAD_COFFEA_COFFEA_H

#include "preload/python/frames.h"
#include "preload/python/python.h"
#include "preload/task/task.h"

/* Coffea's _work_function read the time, before (tic) or after (toc) process(). */
void cup_coffea_clock(struct cup_frame top, struct cup_moment now);

/* This thread is in no _work_function: a chunk that it still has raised an exception. */
void cup_coffea_left(int64_t now_ns);

/* Records the versions of Coffea and what it stands on, once in a log. GIL. */
void cup_coffea_note_versions(void);

/* True for a WorkItem or a FileMeta, which is recorded as what this thread's task is given. */
bool cup_coffea_is_item(cup_object *object, const char *type_name);

#endif

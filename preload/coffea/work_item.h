/* Finds out from a task's arguments what it processes: Coffea's work item, the entries of a file
 * that uproot.dask reads, or the path of a file. The search enters only objects whose type is
 * exactly a known one, so no code of the user runs. */
#pragma once

#include "preload/python/python.h"

#include <stdbool.h>

/* Searches the COUNT objects in WHAT (a node of Dask's graph, or a function and its arguments; each
 * may be NULL) and records what the calling thread's task processes. Needs the GIL. */
void cup_item_find(cup_object *const *what, int count);

/* If OBJECT, whose type has the name TYPE_NAME, is Coffea's WorkItem or FileMeta: records it as the
 * item of the calling thread's task, and returns true. Needs the GIL. */
bool cup_item_is_coffea(cup_object *object, const char *type_name);

/* Coffea's class NAME: WorkItem or FileMeta. A new reference; NULL: there is none. Needs the GIL.
 */
cup_object *cup_item_type(const char *name);

/* True once the item of the task that the calling thread runs was found. */
bool cup_work_item_known(void);

/* The RESULT of the task that the calling thread runs: if it is the metadata of a file, its number
 * of entries is recorded. RESULT may be NULL. Needs the GIL. */
void cup_work_item_result(cup_object *result);

/* A row of the lifecycle table. */
void cup_work_item_task_begins(uint32_t task, uint64_t cpu_ns);

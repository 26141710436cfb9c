/* What a task is given to do, found in its arguments: Coffea's work item, the entries of a file
 * that uproot.dask reads, or the path of a file. Only objects of exactly the types that are known
 * are looked into, so that no code of the user's runs. */
#ifndef CUPPING_PRELOAD_COFFEA_WORK_ITEM_H
#define CUPPING_PRELOAD_COFFEA_WORK_ITEM_H

#include "include/log_format.h"
#include "preload/python/python.h"

/* Records what stands in WHAT, a node of Dask's graph, or a function and its arguments, for this
 * thread's task, and sets cup_self.item_known. NULLs are fine. GIL. */
void cup_item_find(cup_object *const *what, int count);

/* Records it. Strings are ids in the log, 0: not known; entries -1: not known. */
struct cup_item_found {
    enum cup_item_kind kind;
    uint32_t dataset, file, tree;
    int64_t entry_start, entry_stop;
};
void cup_item_record(const struct cup_item_found *found);

#endif

/* Which baskets of ROOT files a task read: those that uproot requested
 * (coffea/requested_baskets.h), and those that its reads delivered (root_records.h). They are added
 * up per branch and written as BASKETS records. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* BYTES of FILE (the number of a FILE record) at OFFSET were delivered to DATA, for TASK (0:
 * unattributed). CONTINUES: the read began where the last one of the same descriptor ended. Any
 * thread, guard held. Costs a few loads if FILE is no ROOT file. */
void cup_baskets_read(uint32_t task, uint32_t file, const void *data, size_t bytes, uint64_t offset,
                      bool continues);

/* FILE is a data file. PATH: string id of its path. AHEAD: st_blksize, the least that a buffered
 * reader reads at a time; 1: no reader reads more than it was asked for. EXPECT: its name is that
 * of a ROOT file. */
void cup_baskets_file(uint32_t file, uint32_t path, uint32_t ahead, bool expect);

/* A tree that uproot reads. Strings are ids of the log. Unknown numbers are CUP_UNKNOWN64, but 0
 * for branches and auto_flush. */
struct cup_requested_baskets_tree {
    uint32_t path; /* of the file, as uproot has it */
    uint32_t tree; /* its name */
    uint32_t branches;
    uint64_t at; /* offset of its own record in the file; 0: not known */
    uint64_t entries, compressed_bytes, uncompressed_bytes;
    int64_t auto_flush;
};

/* A basket that uproot requests: BYTES at OFFSET of its file. */
struct cup_requested_baskets {
    uint64_t offset;
    uint32_t bytes;
    uint32_t number;  /* of the basket in its branch: 0, 1, 2, ... */
    uint32_t branch;  /* number of its BRANCH record; 0: not known */
    bool is_embedded; /* it lies in the tree's own record, at OFFSET of that. Then its key is known:
                       */
    uint32_t object_bytes, key_bytes, entries;
};

/* Uproot requests COUNT baskets of TREE for TASK. WRITES: the tree's record is to be written. Guard
 * held. */
void cup_baskets_requested(uint32_t task, const struct cup_requested_baskets_tree *tree,
                           bool writes, const struct cup_requested_baskets *requests, size_t count);

/* TASK is about to end because it failed, perhaps in a read: baskets that it requested and no read
 * delivered were not read, if reads delivered other baskets of that file. Guard held. */
void cup_baskets_task_fails(uint32_t task);

/* TASK has ended, and does not count as running any more: its rows are written. */
void cup_baskets_task_ended(uint32_t task);

/* The process ends: rows of all tasks are written. */
void cup_baskets_process_ends(void);

/* Called when a log is opened, and in a forked child. */
void cup_baskets_reset(void);

/* Which baskets a task read: those that uproot asked for (asked.h), or those that lie where a
 * request begins (root_records.h), added up per branch and written when the task ends. */
#ifndef CUPPING_PRELOAD_ROOT_BASKETS_H
#define CUPPING_PRELOAD_ROOT_BASKETS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* BYTES of FILE (a FILE record) at OFFSET were delivered to DATA, for TASK (0: none is known).
 * CONTINUES: where the last read of the same descriptor ended. Any thread, guard held. Costs a few
 * loads where FILE is no ROOT file. */
void cup_baskets_read(uint32_t task, uint32_t file, const void *data, size_t bytes, uint64_t offset,
                      _Bool continues);

/* FILE is a data file with that path (a string), whose buffered readers read AHEAD bytes at a time
 * (st_blksize); EXPECT: it is called like a ROOT file. */
void cup_baskets_file(uint32_t file, uint32_t path, uint32_t ahead, _Bool expect);

/* A tree that uproot reads. Strings are ids in the log; what is not known is CUP_UNKNOWN64
 * (branches and auto_flush: 0). */
struct cup_requested_baskets_tree {
    uint32_t path; /* of the file, as uproot has it */
    uint32_t tree; /* its name */
    uint32_t branches;
    uint64_t at; /* where its own record begins in the file; 0: not known */
    uint64_t entries, compressed_bytes, uncompressed_bytes;
    int64_t auto_flush;
};

/* Uproot asks for a basket: BYTES at OFFSET of its file, or one that it has with the tree. */
struct cup_requested_baskets {
    uint64_t offset;
    uint32_t bytes;
    uint32_t number;  /* of the basket in its branch: 0, 1, 2, ... */
    uint32_t branch;  /* its number, as uproot names it; 0: not known */
    bool is_embedded; /* it is in the tree's record, and at OFFSET of that. Then what its key says
                         is known, too: */
    uint32_t object_bytes, key_bytes, entries;
};

/* It does, for TASK. TELLS: the tree is to be written, too. Guard held. */
void cup_baskets_requested(uint32_t task, const struct cup_requested_baskets_tree *tree,
                           _Bool tells, const struct cup_requested_baskets *asked, size_t count);

/* TASK has ended, and does not count as running any more: its rows are written. */
void cup_baskets_task_ended(uint32_t task);

/* The process ends: rows of all tasks are written. */
void cup_baskets_process_ends(void);

/* A new log, or a forked child. */
void cup_baskets_reset(void);

#endif

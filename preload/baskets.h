/* Which baskets a task read: those that uproot asked for (asked.h), or those that lie where a
 * request begins (root_records.h), added up per branch and written when the task ends. */
#ifndef CUPPING_BASKETS_H
#define CUPPING_BASKETS_H

#include <stddef.h>
#include <stdint.h>
#include <sys/uio.h>

struct cup_descriptor;

/* BYTES of FILE (a FILE record) at OFFSET were delivered to DATA, for TASK (0: none is known).
 * CONTINUES: where the last read of the same descriptor ended. Any thread, guard held. Costs a few
 * loads where FILE is no ROOT file. */
void cup_baskets_read(uint32_t task, uint32_t file, const void *data, size_t bytes, uint64_t offset,
                      _Bool continues);

/* Uproot asks for a basket for TASK: BYTES at OFFSET of its file. */
struct cup_asked {
    uint64_t offset;
    uint32_t bytes;
    uint32_t
        branch; /* BRANCH record, where the bytes may pass by no hook (remote, mapped); else 0 */
};
/* PATH: string of the file's name as uproot has it; TREE: likewise, of the tree's name. */
void cup_baskets_asked(uint32_t task, uint32_t path, uint32_t tree, const struct cup_asked *asked,
                       size_t count);

/* TASK has ended: its rows are written. */
void cup_baskets_end(uint32_t task);

/* A new log, or a forked child. */
void cup_baskets_reset(void);

#endif

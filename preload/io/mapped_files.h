/* Policy of mapped files: no call reads them, so the pages that a mapping made present are counted
 * with the kernel (/proc/self/pagemap), and are its task's: those of the task that mapped the file.
 *
 * Looked at are a mapping's pages just before the program unmaps, moves or replaces it (or a part
 * of it), and when its task ends. A page counts once. What is touched after the task's end belongs
 * to nobody and is counted for no task (task 0) when the mapping goes.
 *
 * An upper bound for each touched place, since the kernel makes the pages around a touched one
 * present as well: 16 in all, or 2 MiB where it keeps the file in huge pages (a file just written
 * to ext4, XFS or tmpfs in large pieces); but never more than the file had when it was mapped.
 * Pages that the kernel took back before the look are not seen. */
#ifndef CUPPING_PRELOAD_IO_MAPPED_FILES_H
#define CUPPING_PRELOAD_IO_MAPPED_FILES_H

#include "preload/attribution/attribution.h"
#include "preload/lifecycle/thread.h"
#include "preload/log/log.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* One mapping of a data file, or what is left of it. */
struct cup_mapping {
    uintptr_t at;
    size_t bytes;      /* whole pages */
    uint64_t in_file;  /* bytes from AT on that the file has: what can be present at most */
    uint64_t credited; /* of those, counted already */
    uint32_t file;     /* FILE record */
    uint32_t task;     /* who mapped it; 0: has ended */
};

/* A call that maps a file, from before it to after it. */
struct cup_mapping_call {
    struct cup_owner owner;
    struct cup_mapping mapping;
};

/* Mappings followed now; all of this costs one load while there are none. */
extern uint32_t cup_mapping_count;

/* Whether the kernel tells which pages are present. If not, nothing will be followed. */
bool cup_mapping_verify(void);

/* Before FD is mapped from OFFSET on. True: a data file, and a task that can be named; then
 * cup_mapping_follow() is due when the call has mapped BYTES at AT. Both keep errno. */
bool cup_mapping_begin_slowly(struct cup_mapping_call *call, int fd, off_t offset);
void cup_mapping_follow(struct cup_mapping_call *call, const void *at, size_t bytes);

static inline bool cup_mapping_begin(struct cup_mapping_call *call, int fd, off_t offset)
{
    return fd >= 0 && cup_active() && !cup_self.guard && cup_mapping_begin_slowly(call, fd, offset);
}

/* BYTES from AT on are about to be unmapped or replaced. Keeps errno. */
void cup_mapping_leaves_slowly(const void *at, size_t bytes);

static inline void cup_mapping_leaves(const void *at, size_t bytes)
{
    if (__builtin_expect(cup_mapping_count != 0, 0))
        cup_mapping_leaves_slowly(at, bytes);
}

/* The same for a move of OLD_BYTES, which will be BYTES. True if they are (part of) one mapping:
 * MOVED tells what of it moves, and cup_mapping_comes() is due, to follow it at its new place (or,
 * the call having failed, its old one). Both keep errno. */
bool cup_mapping_moves_slowly(struct cup_mapping *moved, const void *at, size_t old_bytes,
                              size_t bytes);
void cup_mapping_comes(const struct cup_mapping *moved, const void *at, size_t bytes);

static inline bool cup_mapping_moves(struct cup_mapping *moved, const void *at, size_t old_bytes,
                                     size_t bytes)
{
    return __builtin_expect(cup_mapping_count != 0, 0) &&
           cup_mapping_moves_slowly(moved, at, old_bytes, bytes);
}

/* Rows of the lifecycle table. When a task ends, what its mappings made present is counted. */
void cup_mapping_reset(void);
void cup_mapping_log_opened(enum cup_log_size size);
void cup_mapping_task_ends(uint32_t task, uint64_t cpu_ns);

#endif

/* Reads of mapped files. No call reads a mapping, so cupping asks the kernel which of its pages are
 * present (/proc/self/pagemap), and counts their bytes for the task that mapped the file.
 *
 * It asks just before the program unmaps, moves or replaces a mapping (or a part of it), and when
 * the mapping's task ends. A page counts once. Pages that are touched after the end of the task, or
 * in a mapping that no task made, are unattributed: they count for task 0 when the mapping is
 * unmapped.
 *
 * The result can be too high: around a page that is touched the kernel makes others present as
 * well, 16 in all, or 2 MiB where it keeps the file in huge pages (a file that was just written in
 * large pieces to ext4, XFS or tmpfs). It never exceeds the size that the file had when it was
 * mapped. The result can be too low: pages that the kernel reclaimed before it was asked are
 * missing, and so are those around a page of a private mapping that the program wrote, if they were
 * in one huge page with it. */
#pragma once

#include "preload/attribution/attribution.h"
#include "preload/lifecycle/thread.h"
#include "preload/log/log.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* A mapping of a data file, or what is left of it. */
struct cup_mapping {
    uintptr_t at;
    size_t bytes;     /* whole pages */
    uint64_t in_file; /* bytes of the file from AT on: no more can be present */
    uint64_t counted; /* how many of these were counted already */
    uint32_t file;    /* number of its FILE record */
    uint32_t task;    /* that mapped it; 0: none, or it has ended */
};

/* A call under way that maps a file. */
struct cup_mapping_call {
    struct cup_owner owner;
    struct cup_mapping mapping;
};

/* Number of mappings that are followed. While it is 0, cup_mapping_leaves(), cup_mapping_moves()
 * and cup_mapping_task_ends() cost one load. */
extern uint32_t cup_mapping_count;
static inline bool cup_mapping_any(void)
{
    return __atomic_load_n(&cup_mapping_count, __ATOMIC_RELAXED) != 0;
}

/* Tests whether the kernel shows which pages are present. If it does not, no mapping is followed.
 */
bool cup_mapping_verify(void);

/* Call before FD is mapped from OFFSET on. True: FD is a data file. If the call then maps BYTES at
 * AT, call cup_mapping_follow(). Both keep errno. */
bool cup_mapping_begin_slowly(struct cup_mapping_call *call, int fd, off_t offset);
void cup_mapping_follow(struct cup_mapping_call *call, const void *at, size_t bytes);

static inline bool cup_mapping_begin(struct cup_mapping_call *call, int fd, off_t offset)
{
    return fd >= 0 && cup_active() && !cup_self.guard && cup_mapping_begin_slowly(call, fd, offset);
}

/* A call may replace BYTES from AT on: call cup_mapping_may_leave() before it, and, if it
 * succeeded, cup_mapping_left() after it. Both keep errno. */
void cup_mapping_may_leave_slowly(const void *at, size_t bytes);
void cup_mapping_left_slowly(const void *at, size_t bytes);

static inline void cup_mapping_may_leave(const void *at, size_t bytes)
{
    if (__builtin_expect(cup_mapping_any(), 0))
        cup_mapping_may_leave_slowly(at, bytes);
}

static inline void cup_mapping_left(const void *at, size_t bytes)
{
    if (__builtin_expect(cup_mapping_any(), 0))
        cup_mapping_left_slowly(at, bytes);
}

/* BYTES from AT on are about to be unmapped. Keeps errno. */
void cup_mapping_leaves_slowly(const void *at, size_t bytes);

static inline void cup_mapping_leaves(const void *at, size_t bytes)
{
    if (__builtin_expect(cup_mapping_any(), 0))
        cup_mapping_leaves_slowly(at, bytes);
}

/* Call before mremap() moves OLD_BYTES from AT on and makes them BYTES long. True: they are one
 * followed mapping or a part of one, and MOVED is set to it. Then call cup_mapping_comes() after
 * mremap(), with the new place (or, if mremap() failed, the old one). Both keep errno. */
bool cup_mapping_moves_slowly(struct cup_mapping *moved, const void *at, size_t old_bytes,
                              size_t bytes);
void cup_mapping_comes(const struct cup_mapping *moved, const void *at, size_t bytes);

static inline bool cup_mapping_moves(struct cup_mapping *moved, const void *at, size_t old_bytes,
                                     size_t bytes)
{
    return __builtin_expect(cup_mapping_any(), 0) &&
           cup_mapping_moves_slowly(moved, at, old_bytes, bytes);
}

/* Rows of the lifecycle table. When a task ends, the pages that are present in its mappings are
 * counted. */
void cup_mapping_reset(void);
void cup_mapping_log_opened(enum cup_log_size size);
void cup_mapping_task_ends(uint32_t task, uint64_t cpu_ns);

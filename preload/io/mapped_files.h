/* Reads of mapped files. No call reads a mapping, so the kernel is asked which of its pages are
 * present
 * (/proc/self/pagemap), and their bytes are counted for the task that mapped the file.
 *
 * It is asked just before the program unmaps, moves or replaces a mapping (or a part of it), and
 * when the mapping's task ends. A page counts once. Pages that are touched after the end of the
 * task are unattributed: they count for task 0 when the mapping goes.
 *
 * The result is an upper bound. Around a page that is touched the kernel makes others present as
 * well: 16 in all, or 2 MiB where it keeps the file in huge pages (a file that was just written in
 * large pieces to ext4, XFS or tmpfs). It never exceeds the size that the file had when it was
 * mapped. Pages that the kernel has taken back before it is asked are missing. */
#ifndef CUPPING_PRELOAD_IO_MAPPED_FILES_H
#define CUPPING_PRELOAD_IO_MAPPED_FILES_H

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
    uint64_t in_file; /* bytes that the file has from AT on: no more can be present */
    uint64_t counted; /* so many of those were counted already */
    uint32_t file;    /* number of its FILE record */
    uint32_t task;    /* mapped it; 0: that task has ended */
};

/* A call under way that maps a file. */
struct cup_mapping_call {
    struct cup_owner owner;
    struct cup_mapping mapping;
};

/* How many mappings are followed. While there are none, all functions below cost one load. */
extern uint32_t cup_mapping_count;

/* Finds out if the kernel says which pages are present. If not, no mapping will be followed. */
bool cup_mapping_verify(void);

/* Before FD is mapped from OFFSET on. True: it is a data file, and a task maps it. Then
 * cup_mapping_follow() is due after the call, which has mapped BYTES at AT. Both keep errno. */
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

/* OLD_BYTES from AT on are about to be moved, and to become BYTES. True: they are one mapping or a
 * part of one, which is set in MOVED; then cup_mapping_comes() is due after the call, with the new
 * place (or, if the call failed, the old one). Both keep errno. */
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

/* Where each task read its files, and when: access extents (access_extents.h), one set for each
 * file of a counter block. The sets lie in the log, as EXTENTS records, which are reused; only the
 * thread that has the block writes them. A set is written out as an ACCESS record when its block
 * closes, or when it is full and some time has passed. See log_format.h. */
#ifndef CUPPING_PRELOAD_COUNTERS_ACCESS_H
#define CUPPING_PRELOAD_COUNTERS_ACCESS_H

#include "preload/counters/access_extents.h"

#include <stddef.h>

enum {
    CUP_ACCESS_SETS = 1024,   /* sets of a process */
    CUP_ACCESS_OF_BLOCK = 16, /* sets of a block: for another file the oldest one is written out */
};

/* use->access is the number of a set; 0: not looked up yet. This: there is no free set. */
#define CUP_ACCESS_NONE UINT32_MAX

struct cup_access_set {
    struct cup_extents extents;
    struct cup_r_extents *record; /* in the log; NULL: none yet */
    uint32_t next;                /* number of the block's next set; 0: none */
};
extern struct cup_access_set cup_access_sets[CUP_ACCESS_SETS + 1] CUP_OURS; /* by number */

void cup_access_read_slowly(struct cup_block *block, struct cup_file_use *use, uint64_t offset,
                            uint64_t bytes, uint64_t start, uint64_t stop);

/* A read of the data file of USE, an entry of BLOCK, delivered BYTES from OFFSET on, from START to
 * STOP in ticks (0, 0: not known; now is taken). On the thread that has the block, guard held. */
static inline void cup_access_read(struct cup_block *block, struct cup_file_use *use,
                                   uint64_t offset, uint64_t bytes, uint64_t start, uint64_t stop)
{
    if (__builtin_expect(use->access - 1 >= CUP_ACCESS_SETS ||
                             !cup_extents_go_on(&cup_access_sets[use->access].extents, offset,
                                                bytes, start, stop),
                         0))
        cup_access_read_slowly(block, use, offset, bytes, start, stop);
}

/* BLOCK closes: writes its sets out and frees them. */
void cup_access_close(struct cup_block *block);

/* Moves the sets of FROM to TO, a block of the same task and kind. */
void cup_access_move(struct cup_block *to, struct cup_block *from);

/* No sets any more: for cup_block_reset(). */
void cup_access_reset(void);

/* Encodes COUNT extents, which are in the order of time and of which none stops before it starts.
 * AT has room for CUP_EXTENT_CODE_LONGEST bytes for each. SET converts ticks to times; START_NS is
 * the record's time. Returns the number of bytes written. */
enum { CUP_EXTENT_CODE_LONGEST = 1 + 10 * CUP_KV_COUNT };
size_t cup_access_code(unsigned char *at, const struct cup_r_extents *set, int64_t start_ns,
                       const struct cup_access_extent *const *extents, uint32_t count);

#endif

/* Where each task read its files, and when: the strokes (strokes.h) of each counter block, a set
 * for each file. Sets lie in the log, as STROKES records that are used again, and are written by
 * the thread that has the block alone; with the block, or when they are full and some time has
 * passed, they become ACCESS records. See log_format.h. */
#ifndef CUPPING_PRELOAD_COUNTERS_ACCESS_H
#define CUPPING_PRELOAD_COUNTERS_ACCESS_H

#include "preload/counters/access_extents.h"

#include <stddef.h>

enum {
    CUP_ACCESS_SETS = 1024,   /* in use at a time in a process */
    CUP_ACCESS_OF_BLOCK = 16, /* files: one more, and the oldest set is written out */
};

/* In use->access: 0 is not looked for yet, else the number of its set; this: there is no room. */
#define CUP_ACCESS_NONE UINT32_MAX

struct cup_access_set {
    struct cup_extents extents;
    struct cup_r_extents *record; /* in the log; NULL: none yet */
    uint32_t next;                /* number of the block's next set; 0: none */
};
extern struct cup_access_set cup_access_sets[CUP_ACCESS_SETS + 1] CUP_OURS; /* by number */

void cup_access_read_slowly(struct cup_block *block, struct cup_file_use *use, uint64_t offset,
                            uint64_t bytes, uint64_t start, uint64_t stop);

/* A read of the data file of USE, an entry of BLOCK, delivered BYTES from OFFSET on between two
 * times in ticks (0, 0: not known; it is now). On the thread that has the block, guard held. */
static inline void cup_access_read(struct cup_block *block, struct cup_file_use *use,
                                   uint64_t offset, uint64_t bytes, uint64_t start, uint64_t stop)
{
    if (__builtin_expect(use->access - 1 >= CUP_ACCESS_SETS ||
                             !cup_extents_go_on(&cup_access_sets[use->access].extents, offset,
                                                bytes, start, stop),
                         0))
        cup_access_read_slowly(block, use, offset, bytes, start, stop);
}

/* BLOCK is closed: its sets are written out, and free. */
void cup_access_close(struct cup_block *block);

/* What FROM holds is added to TO, a block of the same task and kind. */
void cup_access_move(struct cup_block *to, struct cup_block *from);

/* When a log is opened, and in a forked child: there are no sets. */
void cup_access_reset(void);

/* Codes strokes, COUNT of them in the order of time with stop not before start, into AT, which has
 * room for CUP_EXTENT_CODE_LONGEST bytes each; returns how many were used. Times are those of SET,
 * START_NS that of the record. */
enum { CUP_EXTENT_CODE_LONGEST = 1 + 10 * CUP_KV_COUNT };
size_t cup_access_code(unsigned char *at, const struct cup_r_extents *set, int64_t start_ns,
                       const struct cup_access_extent *const *extents, uint32_t count);

#endif

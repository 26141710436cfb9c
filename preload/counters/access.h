/* Where each task read its files, and when: access extents (struct cup_extents), one set for each
 * file of a counter block. A set is an EXTENTS record in the log, which is used again for another
 * file or task. Only the thread that has the block writes it. When the block closes, or when the
 * set is full and some time has passed, its extents are written as an ACCESS record. See
 * log_format.h. */
#pragma once

#include "include/log_format.h"
#include "preload/sys/library_variable.h"

#include <stdbool.h>

/* Longer than this, an extent is not continued, so that the slope of an extent shows how fast the
 * file was read then. Joined extents may be longer. */
#define CUP_EXTENT_LONGEST_NS UINT64_C(2000000000)

/* The extents of one file, in the order of time. Reads that continue where the one before ended
 * make one access extent (struct cup_access_extent).
 *
 * There is room for CUP_EXTENT_ROOM extents. When all are taken, two neighbours in time are joined:
 * the pair whose bounding box in the plane of time and offset is the smallest. So a picture of the
 * reads loses as little as possible, whether the file is read in order or at random, and early
 * reads keep as much detail as late ones. Extents are never sorted by offset: a range that is read
 * twice stays two extents. */
struct cup_extents {
    struct cup_access_extent *at;      /* CUP_EXTENT_ROOM of them; `calls` is 0 in a free one */
    struct cup_access_extent *current; /* the last in time; NULL: there is none */
    uint32_t count;
    uint8_t first, last; /* in the order of time */
    uint8_t next[CUP_EXTENT_ROOM], before[CUP_EXTENT_ROOM];
    uint32_t costs[CUP_EXTENT_ROOM]; /* of joining an extent with the next: see access.c */
};

/* CUP_EXTENT_LONGEST_NS in ticks. */
extern uint64_t cup_extents_longest CUP_OURS;

/* Starts without extents. ROOM: an array of CUP_EXTENT_ROOM, owned by the caller; it is cleared. */
void cup_extents_start(struct cup_extents *extents, struct cup_access_extent *room);

/* Removes all extents; the array stays in use. */
void cup_extents_clear(struct cup_extents *extents);

/* A read delivered BYTES (not 0) from OFFSET on, from START to STOP in ticks (STOP 0: not known
 * when). If it continues the current extent, extends that and returns true. Else does nothing and
 * returns false. */
static inline bool cup_extents_go_on(struct cup_extents *extents, uint64_t offset, uint64_t bytes,
                                     uint64_t start, uint64_t stop)
{
    struct cup_access_extent *current = extents->current;
    if (!current || offset - current->high > CUP_EXTENT_GAP ||
        (stop && (int64_t)(start - current->start) >= (int64_t)cup_extents_longest))
        return false;
    current->high = offset + bytes;
    current->bytes += bytes;
    current->calls++;
    if (stop > current->stop)
        current->stop = stop;
    return true;
}

/* Records a read for which cup_extents_go_on() returned false: in a new extent, unless it repeats
 * exactly the range of the current one. STOP is not 0. */
void cup_extents_begin(struct cup_extents *extents, uint64_t offset, uint64_t bytes, uint64_t start,
                       uint64_t stop);

/* Adds the extents of FROM. Afterwards all are in the order in which they began. */
void cup_extents_merge(struct cup_extents *extents, const struct cup_extents *from);

/* ---- sets --------------------------------------------------------------------------------- */

enum {
    CUP_ACCESS_SETS = 1024,   /* sets of a process */
    CUP_ACCESS_OF_BLOCK = 16, /* sets of a block: for one more file the oldest is written out */
};

/* Value of cup_file_use.access, which is the number of a set, or 0: not looked up yet. This value:
 * there was no free set, so the reads are not recorded. */
#define CUP_ACCESS_NONE UINT32_MAX

struct cup_access_set {
    struct cup_extents extents;
    struct cup_r_extents *record; /* in the log; NULL: none yet */
    uint32_t next;                /* number of the block's next set; 0: none */
};
extern struct cup_access_set cup_access_sets[CUP_ACCESS_SETS + 1] CUP_OURS; /* by number */

/* cup_access_read() if the file's set is not looked up yet, or the read does not continue the set's
 * current extent. */
void cup_access_read_slowly(struct cup_block *block, struct cup_file_use *use, uint64_t offset,
                            uint64_t bytes, uint64_t start, uint64_t stop);

/* Records a read of the data file of USE, an entry of BLOCK. It delivered BYTES from OFFSET on,
 * from START to STOP in ticks; 0 and 0: not known, so the present time is recorded. Called by the
 * thread that has the block, with the guard held. */
static inline void cup_access_read(struct cup_block *block, struct cup_file_use *use,
                                   uint64_t offset, uint64_t bytes, uint64_t start, uint64_t stop)
{
    if (__builtin_expect(use->access - 1 >= CUP_ACCESS_SETS ||
                             !cup_extents_go_on(&cup_access_sets[use->access].extents, offset,
                                                bytes, start, stop),
                         0))
        cup_access_read_slowly(block, use, offset, bytes, start, stop);
}

/* BLOCK closes: writes its sets as ACCESS records and frees them. */
void cup_access_close(struct cup_block *block);

/* Moves the sets of FROM to TO, a block of the same task and kind. */
void cup_access_move(struct cup_block *to, struct cup_block *from);

/* Frees all sets without writing them. Called by cup_block_reset(). */
void cup_access_reset(void);

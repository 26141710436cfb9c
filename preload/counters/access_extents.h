/* Where a file was read, and when. Reads that continue where the one before ended make one access
 * extent (struct cup_access_extent). This file knows no task, no file and no log.
 *
 * There is room for CUP_EXTENT_ROOM extents. When all are taken, two neighbours in time are joined:
 * the pair whose bounding box in the plane of time and offset is the smallest. So a picture of the
 * reads loses as little as possible, whether the file is read in order or at random, and early
 * reads keep as much detail as late ones. Extents are never sorted by offset: a range that is read
 * twice stays two extents. */
#ifndef CUPPING_PRELOAD_COUNTERS_ACCESS_EXTENTS_H
#define CUPPING_PRELOAD_COUNTERS_ACCESS_EXTENTS_H

#include "include/log_format.h"
#include "preload/sys/library_variable.h"

#include <stdbool.h>

/* Longer than this, an extent is not continued, so that the slope of an extent shows how fast the
 * file was read then. Joined extents may be longer. */
#define CUP_EXTENT_LONGEST_NS UINT64_C(2000000000)

struct cup_extents {
    struct cup_access_extent *at;      /* CUP_EXTENT_ROOM of them; `calls` is 0 in a free one */
    struct cup_access_extent *current; /* the last in time; NULL: there is none */
    uint32_t count;
    uint8_t first, last; /* in the order of time */
    uint8_t next[CUP_EXTENT_ROOM], before[CUP_EXTENT_ROOM];
    uint32_t costs[CUP_EXTENT_ROOM]; /* of joining an extent with the next: see access_extents.c */
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

#endif

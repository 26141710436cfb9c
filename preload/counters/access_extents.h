/* Where a file was read, and when: reads that go on where the one before ended are one stroke.
 * Policy alone: knows no task, no file, no log. See struct cup_access_extent.
 *
 * There is room for CUP_EXTENT_ROOM of them. Then two neighbours in time are joined, those whose
 * common box in the plane of time and offset is the smallest: none grows while there are smaller
 * ones, so that a picture loses the least, in a file read in order as in one read at random, and
 * no part of the time is favoured. They are never sorted by offset: what is read twice stays so. */
#ifndef CUPPING_PRELOAD_COUNTERS_ACCESS_EXTENTS_H
#define CUPPING_PRELOAD_COUNTERS_ACCESS_EXTENTS_H

#include "include/log_format.h"
#include "preload/sys/library_variable.h"

#include <stdbool.h>

/* No single stroke is longer, so that it tells how fast it was read, too. */
#define CUP_EXTENT_LONGEST_NS UINT64_C(2000000000)

struct cup_extents {
    struct cup_access_extent *at; /* CUP_EXTENT_ROOM of them; calls is 0 in those that are free */
    struct cup_access_extent *current; /* the last one in time; NULL: there is none */
    uint32_t count;
    uint8_t first, last; /* in the order of time */
    uint8_t next[CUP_EXTENT_ROOM], before[CUP_EXTENT_ROOM];
    uint32_t costs[CUP_EXTENT_ROOM]; /* of joining each with the next: see strokes.c */
};

/* CUP_EXTENT_LONGEST_NS in ticks. */
extern uint64_t cup_extents_longest CUP_OURS;

/* Starts with none, in ROOM of the caller's, which is emptied. */
void cup_extents_start(struct cup_extents *extents, struct cup_access_extent *room);

/* Likewise in the room that it has. */
void cup_extents_clear(struct cup_extents *extents);

/* BYTES (not 0) from OFFSET on were read between two times, in ticks: a read that prolongs the
 * current stroke; false: it does not, and nothing was done. A STOP of 0: when is not known. */
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

/* Likewise one that cup_extents_go_on() refused: a new stroke. STOP is not 0. */
void cup_extents_begin(struct cup_extents *extents, uint64_t offset, uint64_t bytes, uint64_t start,
                       uint64_t stop);

/* Adds those of FROM; all are put into the order in which they began. */
void cup_extents_merge(struct cup_extents *extents, const struct cup_extents *from);

#endif

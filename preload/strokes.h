/* Where a file was read, and when: reads that go on where the one before ended are one stroke.
 * Policy alone: knows no task, no file, no log. See struct cup_access_stroke.
 *
 * There is room for CUP_STROKE_ROOM of them. Then two neighbours in time are joined, those whose
 * common box in the plane of time and offset is the smallest: none grows while there are smaller
 * ones, so that a picture loses the least, in a file read in order as in one read at random, and
 * no part of the time is favoured. They are never sorted by offset: what is read twice stays so. */
#ifndef CUPPING_STROKES_H
#define CUPPING_STROKES_H

#include "preload/log_format.h"
#include "preload/ours.h"

#include <stdbool.h>

/* No single stroke is longer, so that it tells how fast it was read, too. */
#define CUP_STROKE_LONGEST_NS UINT64_C(2000000000)

struct cup_strokes {
    struct cup_access_stroke *at; /* CUP_STROKE_ROOM of them; calls is 0 in those that are free */
    struct cup_access_stroke *current; /* the last one in time; NULL: there is none */
    uint32_t count;
    uint8_t first, last; /* in the order of time */
    uint8_t next[CUP_STROKE_ROOM], before[CUP_STROKE_ROOM];
    uint32_t costs[CUP_STROKE_ROOM]; /* of joining each with the next: see strokes.c */
};

/* CUP_STROKE_LONGEST_NS in ticks. */
extern uint64_t cup_strokes_longest CUP_OURS;

/* Starts with none, in ROOM of the caller's, which is emptied. */
void cup_strokes_start(struct cup_strokes *strokes, struct cup_access_stroke *room);

/* Likewise in the room that it has. */
void cup_strokes_clear(struct cup_strokes *strokes);

/* BYTES (not 0) from OFFSET on were read between two times, in ticks: a read that prolongs the
 * current stroke; false: it does not, and nothing was done. A STOP of 0: when is not known. */
static inline bool cup_strokes_go_on(struct cup_strokes *strokes, uint64_t offset, uint64_t bytes,
                                     uint64_t start, uint64_t stop)
{
    struct cup_access_stroke *current = strokes->current;
    if (!current || offset - current->high > CUP_STROKE_GAP ||
        (stop && (int64_t)(start - current->start) >= (int64_t)cup_strokes_longest))
        return false;
    current->high = offset + bytes;
    current->bytes += bytes;
    current->calls++;
    if (stop > current->stop)
        current->stop = stop;
    return true;
}

/* Likewise one that cup_strokes_go_on() refused: a new stroke. STOP is not 0. */
void cup_strokes_begin(struct cup_strokes *strokes, uint64_t offset, uint64_t bytes, uint64_t start,
                       uint64_t stop);

/* Adds those of FROM; all are put into the order in which they began. */
void cup_strokes_merge(struct cup_strokes *strokes, const struct cup_strokes *from);

#endif

/* Which parts of a file have been read: ranges are added one after the other, and for each it is
 * known how much of it is new. */
#ifndef CUPPING_PLOT_SHARED_COVERAGE_H
#define CUPPING_PLOT_SHARED_COVERAGE_H

#include <stddef.h>
#include <stdint.h>

#include "plot/figure/arena.h"

struct cup_coverage {
    uint64_t *edges; /* where ranges begin and end; ascending, each value once */
    size_t count;
    uint32_t *free; /* for each part between two edges: a part at or after it, on the way to the
                       next part that is not covered */
};

/* Prepares for ranges that begin and end at these COUNT edges; sorts the edges in place and keeps
 * them. Returns 0, or -1 without memory in the arena. */
int cup_coverage_make(struct cup_coverage *coverage, struct cup_arena *arena, uint64_t *edges,
                      size_t count);

/* Covers a range. Returns how many bytes of it were not covered before. */
uint64_t cup_coverage_add(struct cup_coverage *coverage, uint64_t low, uint64_t high);

/* The same number, without covering the range. */
uint64_t cup_coverage_left(struct cup_coverage *coverage, uint64_t low, uint64_t high);

/* Makes nothing covered. */
void cup_coverage_clear(struct cup_coverage *coverage);

#endif

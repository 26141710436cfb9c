/* Which parts of a file have been read. The caller adds ranges of offsets one after the other and
 * learns how many bytes of each were not read before. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "plot/figure/arena.h"

struct cup_coverage {
    uint64_t *edges; /* where ranges begin and end; ascending, each value once */
    size_t count;
    uint32_t *free; /* free[i] == i: the part from edges[i] to edges[i + 1] is not covered. Else it
                       is a later part; following these leads to the next part not covered. */
};

/* Prepares for ranges that begin and end at these COUNT edges; sorts the edges in place and keeps
 * them. Returns 0, or -1 without memory in the arena. */
int cup_coverage_make(struct cup_coverage *coverage, struct cup_arena *arena, uint64_t *edges,
                      size_t count);

/* Returns how many bytes of a range between two of the edges are not covered. With `cover`, they
 * are from now on. */
uint64_t cup_coverage_count(struct cup_coverage *coverage, uint64_t low, uint64_t high, bool cover);

/* Uncovers everything and keeps the edges. */
void cup_coverage_clear(struct cup_coverage *coverage);

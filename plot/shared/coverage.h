/* What of a file was read before: stretches of it, one after the other, and how much of each was
 * new. */
#ifndef CUPPING_PLOT_SHARED_COVERAGE_H
#define CUPPING_PLOT_SHARED_COVERAGE_H

#include <stddef.h>
#include <stdint.h>

#include "plot/figure/arena.h"

struct cup_coverage {
    uint64_t *edges; /* where stretches begin and end, each once, ascending */
    size_t count;
    uint32_t *free; /* by part between two edges: the first at or behind it that is not covered */
};

/* For stretches that begin and end at these COUNT edges, which it may change. In the arena; returns
 * 0, or -1 without memory. */
int cup_coverage_make(struct cup_coverage *coverage, struct cup_arena *arena, uint64_t *edges,
                      size_t count);

/* Covers a stretch; returns how many bytes of it were not covered before. */
uint64_t cup_coverage_add(struct cup_coverage *coverage, uint64_t low, uint64_t high);

/* Only says so. */
uint64_t cup_coverage_left(struct cup_coverage *coverage, uint64_t low, uint64_t high);

/* Nothing is covered. */
void cup_coverage_clear(struct cup_coverage *coverage);

#endif

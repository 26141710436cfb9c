/* Histograms. */
#ifndef CUPPING_BINS_H
#define CUPPING_BINS_H

#include "plot/arena.h"
#include "plot/scale.h"

struct cup_bins {
    bool log;
    double *edges;  /* count + 1 of them */
    double *counts; /* of each bin */
    size_t count;   /* bins */
    double most;    /* of counts */
    size_t left_out; /* values that are not known, or, on a log scale, not above 0 */
};

/* Bins of equal width, or of equal ratio, round in 1-2-5 steps where `log` is false. `most` bins at
 * the most. Bins lie in the arena. Returns 0, or -1 without memory. */
int cup_bins_make(struct cup_bins *bins, struct cup_arena *arena,
                       const double *values, size_t count, bool log, size_t most);

#endif

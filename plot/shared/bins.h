/* Histograms. */
#ifndef CUPPING_PLOT_SHARED_BINS_H
#define CUPPING_PLOT_SHARED_BINS_H

#include "plot/figure/arena.h"
#include "plot/figure/scale.h"

enum cup_bins_kind {
    CUP_BINS_EVEN,  /* of equal width, round in steps of 1, 2 or 5 */
    CUP_BINS_WHOLE, /* likewise, of whole numbers, which are in the middle of bins of one */
    CUP_BINS_RATIO, /* EVEN, and not narrower than 0.01: ratios that differ by less are the same */
    CUP_BINS_LOG,   /* of equal ratio; values have to be above 0 */
};

struct cup_bins {
    enum cup_bins_kind kind;
    double *edges;  /* count + 1 of them */
    double *counts; /* of values in each bin */
    size_t count;
    double most;     /* of counts */
    size_t left_out; /* values that are not known, or not above 0 where they have to be */
};

/* Bins for these values, about `most` of them at the most; in the arena. Returns 0, or -1 without
 * memory. */
int cup_bins_make(struct cup_bins *bins, struct cup_arena *arena, enum cup_bins_kind kind,
                  const double *values, size_t count, size_t most);

/* `bins->count` empty bins from `low` to `high`, of the kind EVEN; returns as above. */
int cup_bins_between(struct cup_bins *bins, struct cup_arena *arena, double low, double high,
                     size_t count);

/* The bin of a value, the first or last one if it is outside; bins->count if it is left out. */
size_t cup_bin_of(const struct cup_bins *bins, double value);

/* Counts values in bins that were made for others, too: `counts` has bins->count. */
void cup_bins_count(const struct cup_bins *bins, const double *values, size_t count,
                    double *counts);

#endif

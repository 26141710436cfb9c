/* A histogram of one number of each chunk, stacked by dataset. */
#ifndef CUPPING_PLOT_SHARED_GROUPED_H
#define CUPPING_PLOT_SHARED_GROUPED_H

#include "plot/shared/bins.h"
#include "plot/shared/chunks.h"

struct cup_grouped {
    struct cup_chunk_points chunks;
    struct cup_bins bins;             /* of all groups together */
    double *counts[CUP_CHUNK_GROUPS]; /* of each group, in those bins */
};

/* Makes bins for all `count` values, and counts the first ones in them: `values` begins with one
 * value for each of grouped->chunks, in their order. The values after these are not counted; they
 * only widen the range of the bins. NAN: not known. Returns 0, or -1 without memory. */
int cup_grouped_make(struct cup_grouped *grouped, struct cup_arena *arena, enum cup_bins_kind kind,
                     const double *values, size_t count, size_t most);

/* The number of chunks of all groups in a bin. */
double cup_grouped_height(const struct cup_grouped *grouped, size_t bin);

/* Draws the columns. The figure must be open. */
void cup_grouped_draw(struct cup_figure *figure, const struct cup_grouped *grouped);

#endif

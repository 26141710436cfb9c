/* The chunks whose result was used, grouped by dataset, for several plots. */
#pragma once

#include "plot/figure/figure.h"
#include "plot/shared/bins.h"
#include "plot/shared/plot.h"

struct cup_chunk_point {
    double events, wall_s; /* NAN: not known */
    uint32_t item;         /* index in the profile's items */
    uint16_t group;        /* index in groups, which give the colour */
};

/* Groups: the datasets with the most time. The last group holds all others if there are more. */
enum { CUP_CHUNK_GROUPS = 8 };

struct cup_chunk_points {
    struct cup_chunk_point *points;
    size_t count;
    struct cup_text groups[CUP_CHUNK_GROUPS]; /* their names */
    size_t group_count;
};

/* Makes the points in the arena. Returns 0; -1 without memory, or with a reason if there are no
 * chunks. */
int cup_chunk_points_make(struct cup_chunk_points *points, struct cup_plot_input *input);

/* Adds the groups to the legend, as they are drawn. */
void cup_chunk_groups_key(struct cup_figure *figure, const struct cup_chunk_points *points,
                          enum cup_key_mark mark, double opacity);

/* A histogram of one number of each chunk, stacked by dataset. */

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

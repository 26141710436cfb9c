/* The chunks whose result was used, grouped by dataset, for several plots. */
#ifndef CUPPING_PLOT_SHARED_CHUNKS_H
#define CUPPING_PLOT_SHARED_CHUNKS_H

#include "plot/figure/figure.h"
#include "plot/shared/plot.h"

struct cup_chunk_point {
    double events, wall_s; /* NAN: not known */
    uint32_t item;         /* index in the profile's items */
    uint16_t group;        /* index in groups, which give the colour */
};

/* Groups: the datasets with the most time. The last group holds all others if there are more. */
enum { CUP_CHUNK_GROUPS = 8 };

struct cup_chunk_group {
    struct cup_text name;
    uint64_t chunks;
};

struct cup_chunk_points {
    struct cup_chunk_point *points;
    size_t count;
    struct cup_chunk_group groups[CUP_CHUNK_GROUPS];
    size_t group_count;
};

/* Makes the points in the arena. Returns 0; -1 without memory, or with a reason if there are no
 * chunks. */
int cup_chunk_points_make(struct cup_chunk_points *points, struct cup_plot_input *input);

/* Adds the groups to the legend. */
void cup_chunk_groups_key(struct cup_figure *figure, const struct cup_chunk_points *points,
                          enum cup_key_mark mark);

#endif

/* What plots of chunks share: the chunks whose result was used, and the colours of datasets. */
#ifndef CUPPING_PLOT_SHARED_CHUNKS_H
#define CUPPING_PLOT_SHARED_CHUNKS_H

#include "plot/figure/figure.h"
#include "plot/shared/plot.h"

struct cup_chunk_point {
    double events, wall_s; /* NAN: not known */
    uint32_t item;         /* index in the profile's items */
    uint16_t group;        /* index in groups */
};

/* Datasets in the order of their time; beyond the paints there are, the others together. */
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

/* In the arena. Returns 0; -1, with a reason where there are no chunks. */
int cup_chunk_points_make(struct cup_chunk_points *points, struct cup_plot_input *input);

/* A legend of them. */
void cup_chunk_groups_key(struct cup_figure *figure, const struct cup_chunk_points *points,
                          enum cup_key_mark mark);

#endif

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "plot/figure/figure.h"
#include "plot/figure/marks.h"
#include "plot/io/branches_per_chunk.h"

void cup_chart_branches_per_chunk(struct cup_figure *figure, const void *data)
{
    const struct cup_branches_per_chunk *plot = data;
    const struct cup_bins *bins = &plot->branches.bins;
    double room = bins->count < 5 ? 2 : 0; /* one or two bins must not fill the whole width */
    char mean[40];
    figure->x = (struct cup_axis){.name = "branches read by a chunk",
                                  .unit = CUP_AXIS_COUNT,
                                  .exact = true,
                                  .low = fmax(0, bins->edges[0] - room),
                                  .high = bins->edges[bins->count] + room};
    figure->y =
        (struct cup_axis){.name = "chunks", .unit = CUP_AXIS_COUNT, .high = bins->most * 1.05};
    cup_chunk_groups_key(figure, &plot->branches.chunks, CUP_KEY_BOX);
    snprintf(mean, sizeof mean, "mean %.1f", plot->mean);
    cup_figure_add_key(figure, mean, strlen(mean), CUP_KEY_DASHES, figure->theme->ink);
    cup_figure_open(figure);
    cup_grouped_draw(figure, &plot->branches);
    cup_mark_upright(figure, plot->mean, figure->theme->ink);
    cup_figure_close(figure);
}

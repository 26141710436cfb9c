#include <stdio.h>
#include <string.h>

#include "plot/figure/figure.h"
#include "plot/figure/marks.h"
#include "plot/tasks/chunk_runtime.h"

static void add_time_key(struct cup_figure *figure, double time_s, const char *name,
                         struct cup_colour colour)
{
    char text[64], time[CUP_DURATION_TEXT];
    snprintf(text, sizeof text, "%.12s %s", name, cup_duration_text(time, time_s));
    cup_figure_add_key(figure, text, strlen(text), CUP_KEY_DASHES, colour);
}

void cup_chart_chunk_runtime(struct cup_figure *figure, const void *data)
{
    const struct cup_chunk_runtime *runtime = data;
    const struct cup_bins *times = &runtime->times;
    const struct cup_colour *paints = figure->theme->paints;
    figure->x = (struct cup_axis){.name = "wall time of a chunk",
                                  .unit = CUP_AXIS_SECONDS,
                                  .log = true,
                                  .low = times->edges[0],
                                  .high = times->edges[times->count]};
    figure->y =
        (struct cup_axis){.name = "chunks", .unit = CUP_AXIS_COUNT, .high = times->most * 1.05};
    add_time_key(figure, runtime->median_s, "median", paints[CUP_PAINT_ORANGE]);
    add_time_key(figure, runtime->p90_s, "p90", paints[CUP_PAINT_RED]);
    add_time_key(figure, runtime->p99_s, "p99", paints[CUP_PAINT_PINK]);
    cup_figure_open(figure);
    for (size_t i = 0; i < times->count; i++)
        if (times->counts[i] > 0)
            cup_mark_column(figure, times->edges[i], times->edges[i + 1], 0, times->counts[i],
                            paints[CUP_PAINT_BLUE]);
    cup_mark_upright(figure, runtime->median_s, paints[CUP_PAINT_ORANGE]);
    cup_mark_upright(figure, runtime->p90_s, paints[CUP_PAINT_RED]);
    cup_mark_upright(figure, runtime->p99_s, paints[CUP_PAINT_PINK]);
    cup_figure_close(figure);
}

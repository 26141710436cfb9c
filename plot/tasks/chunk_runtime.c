#include <math.h>
#include <stdio.h>

#include "plot/figure/figure.h"
#include "plot/figure/marks.h"
#include "plot/shared/chunks.h"
#include "plot/shared/plot.h"
#include "plot/tasks/task_plots.h"

enum { BINS = 60 };

const void *cup_data_chunk_runtime(struct cup_plot_input *input)
{
    struct cup_chunk_points points;
    struct cup_chunk_runtime *runtime = cup_arena_take(input->arena, 1, sizeof *runtime);
    if (!runtime || cup_chunk_points_make(&points, input) != 0)
        return NULL;
    double *times = cup_arena_take(input->arena, points.count, sizeof *times);
    size_t count = 0;
    if (!times)
        return NULL;
    for (size_t i = 0; i < points.count; i++)
        if (points.points[i].wall_s > 0)
            times[count++] = points.points[i].wall_s;
    if (count == 0)
        return cup_plot_unavailable(input, "no chunk has a known time");
    if (cup_bins_make(&runtime->times, input->arena, CUP_BINS_LOG, times, count, BINS) != 0)
        return NULL;
    runtime->median_s = cup_quantile(times, count, 0.5);
    runtime->p90_s = cup_quantile(times, count, 0.9);
    runtime->p99_s = cup_quantile(times, count, 0.99);
    char chunks[64], bar[CUP_BAR_TEXT], all[CUP_BAR_TEXT];
    if (cup_bins_one_bar(bar, &runtime->times, CUP_AXIS_SECONDS))
        return cup_plot_unavailable(input, "%s took %s", cup_all_text(all, count, "chunk"), bar);
    cup_plot_set_caption(
        input,
        "Wall time of %s whose result was used, in bins of equal width on the log axis (cupping).",
        cup_count_text(chunks, count, "chunk"));
    return runtime;
}

/* ---- drawing -------------------------------------------------------------------------------- */

static void add_time_key(struct cup_figure *figure, double time_s, const char *name,
                         struct cup_colour colour)
{
    char time[CUP_DURATION_TEXT];
    cup_figure_add_key(figure, CUP_KEY_DASHES, colour, "%.12s %s", name,
                       cup_duration_text(time, time_s));
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
    figure->y = cup_axis_up_to("chunks", CUP_AXIS_COUNT, times->most);
    add_time_key(figure, runtime->median_s, "median", paints[CUP_PAINT_ORANGE]);
    add_time_key(figure, runtime->p90_s, "p90", paints[CUP_PAINT_RED]);
    add_time_key(figure, runtime->p99_s, "p99", paints[CUP_PAINT_PINK]);
    cup_figure_open(figure);
    cup_bins_draw(figure, times, &times->counts, 1);
    cup_mark_upright(figure, runtime->median_s, paints[CUP_PAINT_ORANGE]);
    cup_mark_upright(figure, runtime->p90_s, paints[CUP_PAINT_RED]);
    cup_mark_upright(figure, runtime->p99_s, paints[CUP_PAINT_PINK]);
    cup_figure_close(figure);
}

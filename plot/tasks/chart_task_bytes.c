#include "plot/figure/figure.h"
#include "plot/figure/marks.h"
#include "plot/tasks/task_bytes.h"

static void draw_columns(struct cup_figure *figure, const struct cup_task_bytes *plot)
{
    const double *edges = plot->bins.edges;
    for (size_t bin = 0; bin < plot->bins.count; bin++) {
        double low = 0;
        for (size_t i = 0; i < plot->group_count; i++) {
            double high = low + plot->counts[i][bin];
            if (high > low)
                cup_mark_column(figure, edges[bin], edges[bin + 1], low, high,
                                cup_theme_paint(figure->theme, (unsigned)i));
            low = high;
        }
    }
}

void cup_chart_task_bytes(struct cup_figure *figure, const void *data)
{
    const struct cup_task_bytes *plot = data;
    const struct cup_bins *bins = &plot->bins;
    figure->x = (struct cup_axis){.name = "bytes read by a task",
                                  .unit = CUP_AXIS_BYTES,
                                  .log = bins->kind == CUP_BINS_LOG,
                                  .low = bins->edges[0],
                                  .high = bins->edges[bins->count]};
    figure->y =
        (struct cup_axis){.name = "tasks", .unit = CUP_AXIS_COUNT, .high = bins->most * 1.05};
    for (size_t i = 0; i < plot->group_count; i++)
        cup_figure_add_key(figure, plot->names[i].bytes, plot->names[i].length, CUP_KEY_BOX,
                           cup_theme_paint(figure->theme, (unsigned)i));
    cup_figure_add_key(figure, "median", 6, CUP_KEY_DASHES, figure->theme->ink);
    cup_figure_open(figure);
    draw_columns(figure, plot);
    cup_mark_upright(figure, plot->median, figure->theme->ink);
    cup_figure_close(figure);
}

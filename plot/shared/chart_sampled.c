#include <string.h>

#include "plot/figure/figure.h"
#include "plot/figure/marks.h"
#include "plot/shared/sampled.h"

void cup_chart_sampled(struct cup_figure *figure, const void *data)
{
    const struct cup_sampled *plot = data;
    struct cup_colour colour = figure->theme->paints[CUP_PAINT_BLUE];
    const struct cup_stroke threads = {
        .colour = figure->theme->paints[CUP_PAINT_GREEN], .steps = true, .dashed = true};
    figure->x = cup_run_axis(plot->seconds);
    figure->y =
        (struct cup_axis){.name = plot->name, .unit = plot->unit, .high = plot->highest * 1.05};
    if (!plot->sum) {
        cup_figure_add_key(figure, "mean of the workers", 19, CUP_KEY_LINE, colour);
        cup_figure_add_key(figure, "least to largest", 16, CUP_KEY_BAND, colour);
    }
    if (plot->threads) {
        cup_figure_add_key(figure, plot->name, strlen(plot->name), CUP_KEY_LINE, colour);
        cup_figure_add_key(figure, "task threads", 12, CUP_KEY_DASHES, threads.colour);
    }
    cup_figure_open(figure);
    if (!plot->sum)
        cup_mark_band(figure, plot->time_s, plot->least, plot->most, plot->count, colour);
    cup_mark_line(figure, plot->time_s, plot->middle, plot->count,
                  &(struct cup_stroke){.colour = colour, .filled = plot->sum, .steps = plot->sum});
    if (plot->threads)
        cup_mark_line(figure, plot->time_s, plot->threads, plot->count, &threads);
    cup_figure_close(figure);
}

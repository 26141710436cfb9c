#include "plot/figure/figure.h"
#include "plot/figure/marks.h"
#include "plot/time/ramp_shown.h"

void cup_chart_scaling(struct cup_figure *figure, const void *data)
{
    const struct cup_ramp_shown *plot = data;
    enum cup_axis_unit unit = plot->by_events ? CUP_AXIS_HERTZ : CUP_AXIS_BYTE_RATE;
    const struct cup_stroke rate = {.colour = figure->theme->paints[CUP_PAINT_BLUE]};
    const struct cup_stroke each = {.colour = figure->theme->paints[CUP_PAINT_RED], .right = true};
    figure->x = (struct cup_axis){
        .name = "busy threads", .unit = CUP_AXIS_NUMBER, .high = plot->most_busy * 1.05};
    figure->y =
        (struct cup_axis){.name = plot->by_events ? "events per second" : "bytes per second",
                          .unit = unit,
                          .high = plot->most_rate * 1.05,
                          .coloured = true,
                          .colour = rate.colour};
    figure->right = (struct cup_axis){.name = "per busy thread",
                                      .unit = unit,
                                      .high = plot->most_per_thread * 1.05,
                                      .coloured = true,
                                      .colour = each.colour};
    cup_figure_add_key(figure, "all", 3, CUP_KEY_LINE, rate.colour);
    cup_figure_add_key(figure, "per busy thread", 15, CUP_KEY_LINE, each.colour);
    cup_figure_open(figure);
    cup_mark_line(figure, plot->busy, plot->rate, plot->count, &rate);
    cup_mark_line(figure, plot->busy, plot->per_thread, plot->count, &each);
    for (size_t i = 0; i < plot->count; i++)
        cup_mark_dot(figure, plot->busy[i], plot->rate[i], rate.colour, 1);
    cup_figure_close(figure);
}

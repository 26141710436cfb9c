#include "plot/figure/figure.h"
#include "plot/figure/marks.h"
#include "plot/time/worker_count.h"

void cup_chart_worker_count(struct cup_figure *figure, const void *data)
{
    const struct cup_worker_count *plot = data;
    const struct cup_colour *paints = figure->theme->paints;
    const struct cup_stroke workers = {.colour = paints[CUP_PAINT_BLUE], .steps = true};
    const struct cup_stroke threads = {
        .colour = paints[CUP_PAINT_GREEN], .steps = true, .dashed = true};
    const struct cup_stroke rate = {
        .colour = paints[CUP_PAINT_RED], .right = true, .steps = true, .filled = true};
    figure->x = cup_run_axis(plot->seconds);
    figure->y = (struct cup_axis){.name = plot->with_threads ? "workers, threads" : "workers",
                                  .unit = CUP_AXIS_COUNT,
                                  .high = plot->most * 1.05,
                                  .coloured = true,
                                  .colour = paints[CUP_PAINT_BLUE]};
    cup_figure_add_key(figure, "workers", 7, CUP_KEY_LINE, workers.colour);
    if (plot->with_threads)
        cup_figure_add_key(figure, "task threads", 12, CUP_KEY_DASHES, threads.colour);
    if (plot->rate.count) {
        figure->right = (struct cup_axis){.name = "data rate",
                                          .unit = CUP_AXIS_BYTE_RATE,
                                          .high = plot->rate.most * 1.05,
                                          .coloured = true,
                                          .colour = paints[CUP_PAINT_RED]};
        cup_figure_add_key(figure, "data rate", 9, CUP_KEY_LINE, rate.colour);
    }
    cup_figure_open(figure);
    cup_mark_line(figure, plot->rate.time_s, plot->rate.values, plot->rate.count, &rate);
    if (plot->with_threads)
        cup_mark_line(figure, plot->time_s, plot->threads, plot->count, &threads);
    cup_mark_line(figure, plot->time_s, plot->workers, plot->count, &workers);
    cup_figure_close(figure);
}

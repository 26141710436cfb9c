#include <math.h>

#include "plot/figure/figure.h"
#include "plot/figure/marks.h"
#include "plot/time/pressure.h"

void cup_chart_gil_pressure(struct cup_figure *figure, const void *data)
{
    const struct cup_pressure *plot = data;
    const struct cup_stroke gil = {
        .colour = figure->theme->paints[CUP_PAINT_RED], .steps = true, .filled = true};
    const struct cup_stroke io = {.colour = figure->theme->paints[CUP_PAINT_BLUE], .steps = true};
    figure->x = cup_run_axis(plot->seconds);
    figure->y = (struct cup_axis){.name = "waiting threads",
                                  .unit = CUP_AXIS_NUMBER,
                                  .high = fmax(plot->most, plot->threads) * 1.05};
    cup_figure_add_key(figure, "for the GIL", 11, CUP_KEY_LINE, gil.colour);
    cup_figure_add_key(figure, "for files", 9, CUP_KEY_LINE, io.colour);
    if (plot->threads > 0)
        cup_figure_add_key(figure, "task threads", 12, CUP_KEY_DASHES,
                           figure->theme->paints[CUP_PAINT_GREEN]);
    cup_figure_open(figure);
    if (plot->threads > 0)
        cup_mark_level(figure, plot->threads, figure->theme->paints[CUP_PAINT_GREEN]);
    cup_mark_line(figure, plot->gil.time_s, plot->gil.values, plot->gil.count, &gil);
    cup_mark_line(figure, plot->io.time_s, plot->io.values, plot->io.count, &io);
    cup_figure_close(figure);
}

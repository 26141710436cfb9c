#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "plot/charts.h"
#include "plot/marks.h"
#include "plot/marks_told.h"
#include "plot/per_worker.h"

static void draw_lines(struct cup_figure *figure, const struct cup_per_worker *plot)
{
    figure->y = (struct cup_axis){
        .name = plot->name, .unit = CUP_AXIS_PERCENT, .high = plot->highest * 1.05};
    for (size_t i = 0; i < plot->row_count; i++)
        cup_figure_key(figure, plot->workers[i].bytes, plot->workers[i].length, CUP_KEY_LINE,
                       cup_look_paint(figure->look, (unsigned)i));
    cup_figure_open(figure);
    for (size_t i = 0; i < plot->row_count; i++)
        cup_mark_line(figure, plot->time_s, plot->values + i * plot->bin_count, plot->bin_count,
                      &(struct cup_stroke){.colour = cup_look_paint(figure->look, (unsigned)i)});
    cup_figure_close(figure);
}

/* Shares of the highest; a cell that is known, and 0, is not nothing. */
static double *strengths(struct cup_figure *figure, const struct cup_per_worker *plot)
{
    size_t count = plot->row_count * plot->bin_count;
    double *cells = calloc(count + 1, sizeof *cells);
    if (!cells)
        figure->canvas->out_of_memory = true;
    for (size_t i = 0; cells && i < count; i++)
        cells[i] = isnan(plot->values[i]) ? 0 : fmax(1e-3, plot->values[i] / plot->highest);
    return cells;
}

static void strength_key(struct cup_figure *figure, const struct cup_per_worker *plot, double share)
{
    char text[96];
    snprintf(text, sizeof text, "%.3g %%", plot->highest * share);
    cup_figure_key(figure, text, strlen(text), CUP_KEY_BOX, cup_look_strength(figure->look, share));
}

static void draw_heat(struct cup_figure *figure, const struct cup_per_worker *plot)
{
    double *cells = strengths(figure, plot);
    figure->y = (struct cup_axis){.name = "workers",
                                  .unit = CUP_AXIS_COUNT,
                                  .exact = true,
                                  .high = (double)plot->worker_count};
    strength_key(figure, plot, 0);
    strength_key(figure, plot, 0.5);
    strength_key(figure, plot, 1);
    cup_figure_key(figure, plot->name, strlen(plot->name), CUP_KEY_NONE, figure->look->ink);
    cup_figure_open(figure);
    if (cells)
        cup_mark_density(figure, cells, plot->bin_count, plot->row_count);
    cup_tell_grid(figure, &(struct cup_told_grid){.values = plot->values,
                                                  .columns = plot->bin_count,
                                                  .rows = plot->row_count,
                                                  .times = 1,
                                                  .what = " %"});
    cup_figure_close(figure);
    free(cells);
}

static void draw(struct cup_figure *figure, const struct cup_per_worker *plot)
{
    figure->x = cup_run_axis(plot->seconds);
    if (plot->worker_count > CUP_WORKER_LINES)
        draw_heat(figure, plot);
    else
        draw_lines(figure, plot);
}

void cup_chart_memory_per_worker(struct cup_figure *figure, const void *data)
{
    draw(figure, data);
}

void cup_chart_worker_activity(struct cup_figure *figure, const void *data)
{
    draw(figure, data);
}

void cup_chart_cpu_per_worker(struct cup_figure *figure, const void *data)
{
    draw(figure, data);
}

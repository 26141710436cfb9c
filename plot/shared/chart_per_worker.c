#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "plot/figure/figure.h"
#include "plot/figure/hover_texts.h"
#include "plot/figure/marks.h"
#include "plot/shared/per_worker.h"

static void draw_lines(struct cup_figure *figure, const struct cup_per_worker *plot)
{
    figure->y = (struct cup_axis){
        .name = plot->name, .unit = CUP_AXIS_PERCENT, .high = plot->highest * 1.05};
    for (size_t i = 0; i < plot->row_count; i++)
        cup_figure_add_key(figure, plot->workers[i].bytes, plot->workers[i].length, CUP_KEY_LINE,
                           cup_theme_paint(figure->theme, (unsigned)i));
    cup_figure_open(figure);
    for (size_t i = 0; i < plot->row_count; i++)
        cup_mark_line(figure, plot->time_s, plot->values + i * plot->bin_count, plot->bin_count,
                      &(struct cup_stroke){.colour = cup_theme_paint(figure->theme, (unsigned)i)});
    cup_figure_close(figure);
}

/* Values as shares of the highest. A known 0 gets a small strength, so that it differs from an
 * unknown value. */
static double *make_strengths(struct cup_figure *figure, const struct cup_per_worker *plot)
{
    size_t count = plot->row_count * plot->bin_count;
    double *cells = calloc(count + 1, sizeof *cells);
    if (!cells)
        figure->canvas->out_of_memory = true;
    for (size_t i = 0; cells && i < count; i++)
        cells[i] = isnan(plot->values[i]) ? 0 : fmax(1e-3, plot->values[i] / plot->highest);
    return cells;
}

static void add_strength_key(struct cup_figure *figure, const struct cup_per_worker *plot,
                             double share)
{
    char text[96];
    double value = plot->highest * share, digit = pow(10, floor(log10(fmax(value, 1e-3))) - 1);
    snprintf(text, sizeof text, "%.3g %%", round(value / digit) * digit);
    cup_figure_add_key(figure, text, strlen(text), CUP_KEY_BOX,
                       cup_theme_strength(figure->theme, share));
}

static struct cup_axis make_worker_axis(const struct cup_per_worker *plot)
{
    if (cup_workers_have_names(plot))
        return (struct cup_axis){
            .name = "workers", .names = plot->workers, .name_count = plot->worker_count};
    return (struct cup_axis){.name = "workers",
                             .unit = CUP_AXIS_COUNT,
                             .exact = true,
                             .high = (double)plot->worker_count};
}

/* Percentage points. Colours of values that differ by less look the same, so adjacent bins of such
 * values are drawn as one piece. */
#define VISIBLE_STEP 2

static bool looks_same(double one, double other)
{
    return isnan(one) ? isnan(other) : fabs(one - other) < VISIBLE_STEP;
}

static void draw_row(struct cup_figure *figure, const struct cup_per_worker *plot, size_t row)
{
    const double *values = plot->values + row * plot->bin_count;
    for (size_t first = 0, i = 1; i <= plot->bin_count; i++) {
        if (i < plot->bin_count && looks_same(values[i], values[first]))
            continue;
        cup_mark_heat(figure, row, (double)first * plot->bin_s,
                      fmin((double)i * plot->bin_s, plot->seconds), values[first] / plot->highest,
                      values[first]);
        first = i;
    }
}

static void draw_cells(struct cup_figure *figure, const struct cup_per_worker *plot)
{
    double *cells = cup_workers_have_names(plot) ? NULL : make_strengths(figure, plot);
    for (size_t row = 0; cup_workers_have_names(plot) && row < plot->row_count; row++)
        draw_row(figure, plot, row);
    if (cells) {
        cup_mark_density(figure, cells, plot->bin_count, plot->row_count);
        cup_hover_grid(figure, &(struct cup_grid_values){.values = plot->values,
                                                         .columns = plot->bin_count,
                                                         .rows = plot->row_count,
                                                         .times = 1,
                                                         .what = " %"});
    }
    free(cells);
}

static void draw_heat(struct cup_figure *figure, const struct cup_per_worker *plot)
{
    figure->y = make_worker_axis(plot);
    add_strength_key(figure, plot, 0);
    add_strength_key(figure, plot, 0.5);
    add_strength_key(figure, plot, 1);
    cup_figure_add_key(figure, plot->name, strlen(plot->name), CUP_KEY_NONE, figure->theme->ink);
    cup_figure_open(figure);
    draw_cells(figure, plot);
    cup_figure_close(figure);
}

void cup_chart_per_worker(struct cup_figure *figure, const void *data)
{
    const struct cup_per_worker *plot = data;
    figure->x = cup_run_axis(plot->seconds);
    if (plot->heat)
        draw_heat(figure, plot);
    else
        draw_lines(figure, plot);
}

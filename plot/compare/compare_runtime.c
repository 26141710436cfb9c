#include <math.h>
#include <stdio.h>

#include "plot/compare/compared.h"
#include "plot/figure/figure.h"
#include "plot/figure/marks.h"
#include "plot/shared/plot.h"
#include "plot/shared/runs.h"

static size_t count_known(const struct cup_comparison *comparison, enum cup_chunk_time time)
{
    size_t count = 0;
    for (size_t i = 0; i < comparison->input_count; i++)
        count += comparison->inputs[i].chunks[time].count > 0;
    return count;
}

static void add_run(struct cup_compared_runtime *plot, const struct cup_spread *spread,
                    struct cup_text name)
{
    for (size_t i = 0; i < spread->points; i++) {
        if (!(spread->at[i] > 0))
            continue;
        plot->low_s = fmin(plot->low_s, spread->at[i]);
        plot->high_s = fmax(plot->high_s, spread->at[i]);
    }
    plot->spreads[plot->count] = spread;
    plot->names[plot->count++] = name;
}

/* Times inside tasks and inside process() cannot be compared: shows the kind that more of the runs
 * have. */
const void *cup_data_compare_runtime(struct cup_plot_input *input)
{
    const struct cup_comparison *comparison = input->runs->comparison;
    struct cup_compared_runtime *plot = cup_arena_take(input->arena, 1, sizeof *plot);
    bool missing[CUP_COMPARE_MOST] = {false};
    bool task =
        count_known(comparison, CUP_CHUNK_TASK) >= count_known(comparison, CUP_CHUNK_PROCESS);
    if (!plot)
        return NULL;
    plot->name = task ? "wall time of a chunk" : "time of a chunk inside process()";
    plot->low_s = plot->high_s = NAN;
    for (size_t i = 0; i < comparison->input_count; i++) {
        const struct cup_spread *spread =
            &comparison->inputs[i].chunks[task ? CUP_CHUNK_TASK : CUP_CHUNK_PROCESS];
        missing[i] = spread->count == 0;
        if (!missing[i])
            add_run(plot, spread, input->runs->names[i]);
    }
    if (plot->count < 2)
        return cup_plot_unavailable(input, "fewer than two runs have known chunk times");
    cup_plot_set_caption(input,
                         "%s, for chunks whose result was used; of more than %d chunks %d "
                         "quantiles (%s). In brackets: the median.",
                         task ? "Wall time of the chunks' tasks"
                              : "Time of chunks inside process()",
                         CUP_SPREAD_POINTS, CUP_SPREAD_POINTS, task ? "cupping" : "Coffea");
    cup_caption_add_missing(input, missing);
    return plot;
}

/* ---- drawing -------------------------------------------------------------------------------- */

/* More curves than this cannot be told apart. */
enum { CURVES = 6 };

static struct cup_axis time_axis(const struct cup_compared_runtime *plot)
{
    return (struct cup_axis){.name = plot->name,
                             .unit = CUP_AXIS_SECONDS,
                             .log = true,
                             .low = plot->low_s,
                             .high = plot->high_s};
}

/* ---- a few runs --------------------------------------------------------------------------- */

/* Draws the share of chunks that took at most a time: a step at each chunk if they are few. Every
 * second curve is dashed, for readers who cannot tell the colours apart. */
static void draw_curve(struct cup_figure *figure, const struct cup_spread *spread, size_t n)
{
    double times[CUP_SPREAD_POINTS + 1], shares[CUP_SPREAD_POINTS + 1];
    const bool steps = spread->points == spread->count;
    const struct cup_stroke stroke = {.colour = cup_theme_paint(figure->theme, (unsigned)n),
                                      .dashed = n % 2 == 1,
                                      .steps = steps};
    size_t count = 0;
    if (steps) {
        times[0] = spread->at[0];
        shares[count++] = 0;
    }
    for (size_t i = 0; i < spread->points; i++, count++) {
        times[count] = spread->at[i];
        shares[count] = steps ? 100.0 * (double)(i + 1) / (double)spread->points
                              : 100.0 * (double)i / (double)(spread->points - 1);
    }
    cup_mark_line(figure, times, shares, count, &stroke);
}

static void draw_curve_key(struct cup_figure *figure, const struct cup_compared_runtime *plot,
                           size_t n)
{
    char median[CUP_DURATION_TEXT];
    cup_figure_add_key(
        figure, n % 2 ? CUP_KEY_DASHES : CUP_KEY_LINE, cup_theme_paint(figure->theme, (unsigned)n),
        "%.*s (%s)", plot->names[n].length < 90 ? (int)plot->names[n].length : 90,
        plot->names[n].bytes, cup_duration_text(median, cup_spread_at(plot->spreads[n], 0.5)));
}

static void draw_curves(struct cup_figure *figure, const struct cup_compared_runtime *plot)
{
    figure->x = time_axis(plot);
    figure->y = cup_axis_exact("share of the chunks", CUP_AXIS_PERCENT, 100);
    for (size_t i = 0; i < plot->count; i++)
        draw_curve_key(figure, plot, i);
    cup_figure_open(figure);
    for (size_t i = 0; i < plot->count; i++)
        draw_curve(figure, plot->spreads[i], i);
    cup_figure_close(figure);
}

/* ---- many --------------------------------------------------------------------------------- */

static void draw_box(struct cup_figure *figure, const struct cup_spread *spread, size_t row)
{
    const struct cup_colour *paints = figure->theme->paints;
    char text[120], median[CUP_DURATION_TEXT], tail[CUP_DURATION_TEXT];
    double half = cup_spread_at(spread, 0.5), last = cup_spread_at(spread, 1);
    cup_mark_bar(figure, row, 1, 3, cup_spread_at(spread, 0), last, paints[CUP_PAINT_GREY]);
    cup_mark_bar(figure, row, 1, 3, cup_spread_at(spread, 0.05), cup_spread_at(spread, 0.95),
                 paints[CUP_PAINT_SKY]);
    cup_mark_bar(figure, row, 0, 1, cup_spread_at(spread, 0.25), cup_spread_at(spread, 0.75),
                 paints[CUP_PAINT_BLUE]);
    cup_mark_seam(figure, row, half);
    snprintf(text, sizeof text, "(%s), 95 %%: %s", cup_duration_text(median, half),
             cup_duration_text(tail, cup_spread_at(spread, 0.95)));
    if (cup_bar_text_fits(figure, last, text))
        cup_mark_bar_text(figure, row, cup_spread_at(spread, 0), last, text);
}

static void draw_boxes(struct cup_figure *figure, const struct cup_compared_runtime *plot)
{
    size_t rows = cup_rows_that_fit(figure, plot->count);
    const struct cup_colour *paints = figure->theme->paints;
    figure->x = time_axis(plot);
    cup_figure_set_rows(figure, "runs", plot->names, rows, plot->count);
    cup_figure_add_key(figure, CUP_KEY_BOX, paints[CUP_PAINT_BLUE],
                       "half of the chunks, and the median");
    cup_figure_add_key(figure, CUP_KEY_LINE, paints[CUP_PAINT_SKY], "90 %%");
    cup_figure_add_key(figure, CUP_KEY_LINE, paints[CUP_PAINT_GREY], "all");
    cup_figure_open(figure);
    for (size_t i = 0; i < rows; i++)
        draw_box(figure, plot->spreads[i], i);
    cup_figure_close(figure);
}

void cup_chart_compare_runtime(struct cup_figure *figure, const void *data)
{
    const struct cup_compared_runtime *plot = data;
    if (plot->count <= CURVES)
        draw_curves(figure, plot);
    else
        draw_boxes(figure, plot);
}

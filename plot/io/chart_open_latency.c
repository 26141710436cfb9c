#include <math.h>
#include <stdio.h>

#include "plot/figure/figure.h"
#include "plot/figure/marks.h"
#include "plot/io/open_latency.h"

static struct cup_axis time_axis(const struct cup_open_latency *plot)
{
    return (struct cup_axis){.name = "time until open",
                             .unit = CUP_AXIS_SECONDS,
                             .log = true,
                             .low = plot->shortest,
                             .high = fmax(plot->longest, plot->shortest * 2)};
}

/* ---- few servers: curves
 * --------------------------------------------------------------------------- */

static void add_curve_key(struct cup_figure *figure, const struct cup_open_row *row,
                          struct cup_colour colour)
{
    char text[200];
    int length =
        snprintf(text, sizeof text, "%.*s: %s", (int)row->name.length, row->name.bytes, row->brief);
    cup_figure_add_key(figure, text, length < (int)sizeof text ? (size_t)length : sizeof text - 1,
                       CUP_KEY_LINE, colour);
}

static void draw_curves(struct cup_figure *figure, const struct cup_open_latency *plot)
{
    figure->y = (struct cup_axis){
        .name = "share of the opens", .unit = CUP_AXIS_PERCENT, .exact = true, .high = 100};
    for (size_t i = 0; i < plot->count; i++)
        add_curve_key(figure, &plot->rows[i], cup_theme_paint(figure->theme, (unsigned)i));
    cup_figure_open(figure);
    for (size_t i = 0; i < plot->count; i++) {
        const struct cup_open_row *row = &plot->rows[i];
        cup_mark_line(figure, row->times, row->shares, row->points,
                      &(struct cup_stroke){.colour = cup_theme_paint(figure->theme, (unsigned)i),
                                           .steps = true});
    }
    cup_figure_close(figure);
}

/* ---- many servers: boxes
 * --------------------------------------------------------------------------- */

static void draw_keys(struct cup_figure *figure, const struct cup_open_latency *plot, size_t rows)
{
    bool there[CUP_OPEN_KINDS] = {0};
    for (size_t i = 0; i < rows; i++)
        there[plot->rows[i].kind] = true;
    for (size_t kind = 0; kind < CUP_OPEN_KINDS; kind++)
        if (there[kind])
            cup_figure_add_key(figure, cup_open_keys[kind].name, strlen(cup_open_keys[kind].name),
                               CUP_KEY_BOX, figure->theme->paints[cup_open_keys[kind].paint]);
    cup_figure_add_key(figure, "median", 6, CUP_KEY_LINE, figure->theme->ink);
    cup_figure_add_key(figure, "longest", 7, CUP_KEY_DOT, figure->theme->ink);
}

static void draw_box(struct cup_figure *figure, const struct cup_open_row *row, size_t at)
{
    enum { THIN = 3, PARTS = 7 }; /* a thin line: part THIN of PARTS of the row's height */
    struct cup_colour colour = figure->theme->paints[cup_open_keys[row->kind].paint];
    double width = pow(figure->x.scale.high / figure->x.scale.low, 0.0025);
    double widest = fmax(row->upper, row->lower * width * width);
    cup_mark_bar(figure, at, THIN, PARTS, row->low, row->high, colour);
    cup_mark_bar(figure, at, 0, 1, row->lower, widest, colour);
    cup_mark_bar(figure, at, 0, 1, row->middle / width, row->middle * width, figure->theme->ink);
    cup_mark_row_dot(figure, at, row->longest, figure->theme->ink);
    double behind = row->longest * width * width;
    if (cup_bar_text_fits(figure, behind, row->text))
        cup_mark_bar_text(figure, at, row->low, behind, row->text);
}

static void draw_boxes(struct cup_figure *figure, const struct cup_open_latency *plot)
{
    size_t rows = cup_rows_that_fit(figure, plot->count);
    char caption[CUP_CAPTION];
    figure->y = (struct cup_axis){.name = "servers", .names = plot->names, .name_count = rows};
    draw_keys(figure, plot, rows);
    cup_caption_add_rows(figure, rows, plot->count, caption);
    cup_figure_open(figure);
    for (size_t i = 0; i < rows; i++)
        draw_box(figure, &plot->rows[i], i);
    cup_figure_close(figure);
}

void cup_chart_open_latency(struct cup_figure *figure, const void *data)
{
    const struct cup_open_latency *plot = data;
    figure->x = time_axis(plot);
    if (plot->count > CUP_OPEN_CURVES)
        draw_boxes(figure, plot);
    else
        draw_curves(figure, plot);
}

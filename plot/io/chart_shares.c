#include <math.h>
#include <stdio.h>
#include <string.h>

#include "analysis/base/units.h"
#include "plot/figure/figure.h"
#include "plot/figure/marks.h"
#include "plot/io/shares.h"

static void add_keys(struct cup_figure *figure)
{
    cup_figure_add_key(figure, "bytes", 5, CUP_KEY_BOX, figure->theme->paints[CUP_PAINT_BLUE]);
    cup_figure_add_key(figure, "branches", 8, CUP_KEY_BOX, figure->theme->paints[CUP_PAINT_ORANGE]);
}

static void set_percent_axis(struct cup_figure *figure)
{
    figure->x = (struct cup_axis){
        .name = "share that was read", .unit = CUP_AXIS_PERCENT, .exact = true, .high = 100};
}

static double largest_share(const struct cup_shares *plot, size_t rows)
{
    double most = 0;
    for (size_t i = 0; i < rows; i++)
        most = fmax(most, fmax(plot->rows[i].bytes, plot->rows[i].branches));
    return most;
}

static const char *print_percent(char to[CUP_HUMAN_READABLE_ROOM], double percent)
{
    return cup_print_human_readable(to, isnan(percent) ? cup_null() : cup_real(percent),
                                    CUP_UNIT_PERCENT);
}

static const char *print_share(char to[2 * CUP_HUMAN_READABLE_ROOM], const struct cup_share *share)
{
    char bytes[CUP_HUMAN_READABLE_ROOM], branches[CUP_HUMAN_READABLE_ROOM];
    snprintf(to, 2 * CUP_HUMAN_READABLE_ROOM, "%s, %s", print_percent(bytes, share->bytes),
             print_percent(branches, share->branches));
    return to;
}

static void draw_rows(struct cup_figure *figure, const struct cup_shares *plot)
{
    size_t rows = cup_rows_that_fit(figure, plot->count);
    const struct cup_colour *paints = figure->theme->paints;
    char caption[CUP_CAPTION];
    set_percent_axis(figure);
    figure->y = (struct cup_axis){.name = "files", .names = plot->names, .name_count = rows};
    add_keys(figure);
    cup_caption_add_rows(figure, rows, plot->count, caption);
    cup_figure_open(figure);
    bool with_texts = cup_bar_text_fits(figure, largest_share(plot, rows), "99.9 %, 99.9 %");
    for (size_t i = 0; i < rows; i++) {
        const struct cup_share *share = &plot->rows[i];
        char text[2 * CUP_HUMAN_READABLE_ROOM];
        cup_mark_bar(figure, i, 0, 2, 0, share->bytes, paints[CUP_PAINT_BLUE]);
        cup_mark_bar(figure, i, 1, 2, 0, share->branches, paints[CUP_PAINT_ORANGE]);
        if (with_texts)
            cup_mark_bar_text(figure, i, 0, fmax(share->bytes, share->branches),
                              print_share(text, share));
    }
    cup_figure_close(figure);
}

static void draw_distribution(struct cup_figure *figure, const struct cup_shares *plot)
{
    const struct cup_bins *bins = &plot->bytes;
    set_percent_axis(figure);
    figure->y =
        (struct cup_axis){.name = "files", .unit = CUP_AXIS_COUNT, .high = plot->most * 1.05};
    add_keys(figure);
    cup_figure_open(figure);
    for (size_t i = 0; i < bins->count; i++) {
        double middle = (bins->edges[i] + bins->edges[i + 1]) / 2;
        if (bins->counts[i] > 0)
            cup_mark_column(figure, bins->edges[i], middle, 0, bins->counts[i],
                            figure->theme->paints[CUP_PAINT_BLUE]);
        if (plot->branches[i] > 0)
            cup_mark_column(figure, middle, bins->edges[i + 1], 0, plot->branches[i],
                            figure->theme->paints[CUP_PAINT_ORANGE]);
    }
    cup_figure_close(figure);
}

void cup_chart_share_read(struct cup_figure *figure, const void *data)
{
    const struct cup_shares *plot = data;
    if (plot->bytes.count)
        draw_distribution(figure, plot);
    else
        draw_rows(figure, plot);
}

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "plot/charts.h"
#include "plot/flame.h"
#include "plot/marks.h"

/* Rows are not lower than this part of the letters' size, and not higher than that. */
#define LOWEST 0.9
#define HIGHEST 1.7

static const enum cup_paint paints[CUP_FLAME_KINDS] = {
    [CUP_FLAME_USER] = CUP_PAINT_RED,     [CUP_FLAME_COFFEA] = CUP_PAINT_GREEN,
    [CUP_FLAME_READING] = CUP_PAINT_BLUE, [CUP_FLAME_ARRAYS] = CUP_PAINT_SKY,
    [CUP_FLAME_DASK] = CUP_PAINT_GREY,    [CUP_FLAME_STDLIB] = CUP_PAINT_YELLOW,
    [CUP_FLAME_OTHER] = CUP_PAINT_PINK,
};

enum { TOLD = 600 };

/* Letters stand on it. */
#define OPACITY 0.45

static void keys(struct cup_figure *figure, const struct cup_flame *plot)
{
    bool seen[CUP_FLAME_KINDS] = {false};
    for (size_t i = 0; i < plot->count; i++)
        if (!plot->boxes[i].is_all && plot->boxes[i].kind < CUP_FLAME_KINDS)
            seen[plot->boxes[i].kind] = true;
    for (int kind = 0; kind < CUP_FLAME_KINDS; kind++)
        if (seen[kind])
            cup_figure_key(figure, cup_flame_kind_names[kind], strlen(cup_flame_kind_names[kind]),
                           CUP_KEY_BOX, figure->look->paints[paints[kind]]);
}

/* How many rows there is room for; what an area is without its axis is about this. */
static size_t rows_that_fit(const struct cup_figure *figure, size_t rows)
{
    double text = figure->look->text, room = (figure->canvas->height - 9 * text) / (text * LOWEST);
    return room < 1 ? 1 : (double)rows < room ? rows : (size_t)room;
}

/* The width that is no function's own, and deeper than what is shown. */
static double hidden_share(const struct cup_flame *plot, size_t rows)
{
    double hidden = 0;
    for (size_t i = 0; i < plot->count; i++)
        if (plot->boxes[i].row == rows)
            hidden += plot->boxes[i].to - plot->boxes[i].from;
    return plot->all > 0 ? hidden / plot->all : 0;
}

static void say_rows(struct cup_figure *figure, const struct cup_flame *plot, size_t rows,
                     char caption[CUP_CAPTION])
{
    double percent = 100 * hidden_share(plot, rows);
    if (plot->rows <= rows)
        return;
    snprintf(caption, CUP_CAPTION,
             "%s Room for %zu of %zu rows: %s%.0f %% of the width goes deeper.", figure->caption,
             rows, plot->rows, percent < 1 ? "less than " : "", fmax(percent, 1));
    figure->caption = caption;
}

static char *tell(char to[TOLD], const struct cup_flame *plot, const struct cup_flame_box *box)
{
    char amount[24], self[24];
    cup_tick_text(amount, box->to - box->from, plot->unit);
    cup_tick_text(self, box->self, plot->unit);
    snprintf(to, TOLD, "%.90s: %s, %.1f %%; self %s", box->whole, amount,
             100 * (box->to - box->from) / plot->all, self);
    return to;
}

static void write_name(struct cup_figure *figure, const struct cup_flame_box *box,
                       struct cup_box at)
{
    const struct cup_look *look = figure->look;
    char text[CUP_FITTED];
    struct cup_lettering lettering = {.size = fmin(look->text * 0.85, at.height * 0.72),
                                      .down = CUP_HOLD_MIDDLE,
                                      .colour = look->ink};
    double room = at.width - look->text * 0.4;
    if (room < lettering.size * 3)
        return;
    cup_canvas_fit(figure->canvas, text, box->name, strlen(box->name), room, &lettering);
    if (cup_canvas_text_width(figure->canvas, text, &lettering) <= room)
        cup_canvas_text(figure->canvas,
                        (struct cup_point){at.left + look->text * 0.2, at.top + at.height / 2},
                        text, &lettering);
}

static bool is_sound(const struct cup_flame_box *box)
{
    return isfinite(box->from) && isfinite(box->to) && box->to > box->from && box->from >= 0;
}

static void draw_box(struct cup_figure *figure, const struct cup_flame *plot,
                     const struct cup_flame_box *box, double height)
{
    char told[TOLD];
    double left = cup_x(figure, box->from), right = cup_x(figure, box->to);
    double hair = fmin(figure->look->hair, (right - left) / 4);
    struct cup_box at = {left, figure->area.top + box->row * height, right - left - hair,
                         height - figure->look->hair};
    struct cup_colour colour =
        box->is_all ? figure->look->grid : figure->look->paints[paints[box->kind]];
    cup_canvas_box(figure->canvas, at, colour, box->is_all ? 1 : OPACITY);
    write_name(figure, box, at);
    if (at.width >= figure->look->text) /* the page's own boxes tell of those that are smaller */
        cup_canvas_tell(figure->canvas, at, colour, tell(told, plot, box));
}

static void draw(struct cup_figure *figure, const struct cup_flame *plot)
{
    char caption[CUP_CAPTION];
    size_t rows = rows_that_fit(figure, plot->rows);
    figure->x =
        (struct cup_axis){.name = plot->what, .unit = plot->unit, .exact = true, .high = plot->all};
    keys(figure, plot);
    say_rows(figure, plot, rows, caption);
    cup_figure_open(figure);
    double height =
        fmin(figure->area.height / (double)(rows ? rows : 1), figure->look->text * HIGHEST);
    for (size_t i = 0; i < plot->count; i++)
        if (plot->boxes[i].row < rows && plot->boxes[i].kind < CUP_FLAME_KINDS &&
            is_sound(&plot->boxes[i]))
            draw_box(figure, plot, &plot->boxes[i], height);
    cup_figure_close(figure);
}

void cup_chart_flame_cpu(struct cup_figure *figure, const void *data)
{
    draw(figure, data);
}

void cup_chart_flame_wait(struct cup_figure *figure, const void *data)
{
    draw(figure, data);
}

void cup_chart_flame_read(struct cup_figure *figure, const void *data)
{
    draw(figure, data);
}

void cup_chart_flame_alloc(struct cup_figure *figure, const void *data)
{
    draw(figure, data);
}

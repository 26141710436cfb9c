#include "plot/figure/figure.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "plot/figure/axes.h"

/* Room around the area that is taken so far, in points. */
struct margins {
    double left, right, top, bottom;
};

static double outer_margin(const struct cup_figure *figure)
{
    return figure->theme->gap * 1.5;
}

static double whole_width(const struct cup_figure *figure)
{
    return figure->canvas->width - 2 * outer_margin(figure);
}

/* ---- title, caption ----------------------------------------------------------------------- */

/* Writes lines below each other. Returns the height of all lines. */
static double write_lines(const struct cup_figure *figure, const struct cup_lines *lines,
                          struct cup_point at, const struct cup_lettering *lettering)
{
    double step = cup_line_step(lettering);
    for (size_t i = 0; i < lines->count; i++)
        cup_canvas_text(figure->canvas, (struct cup_point){at.x, at.y + (double)i * step},
                        lines->lines[i], lettering);
    return (double)lines->count * step;
}

static void write_title(const struct cup_figure *figure, struct margins *margins)
{
    struct cup_lettering lettering = {
        .size = figure->theme->title, .bold = true, .colour = figure->theme->ink};
    struct cup_lines lines;
    cup_lines_wrap(&lines, figure->canvas, figure->title, whole_width(figure), 2, &lettering);
    margins->top += write_lines(figure, &lines,
                                (struct cup_point){outer_margin(figure), margins->top}, &lettering);
    margins->top += figure->theme->gap * 0.5;
}

/* Fills the sheet with paper and writes the caption at its end. */
static void begin_sheet(const struct cup_figure *figure, struct margins *margins)
{
    struct cup_lettering lettering = {.size = figure->theme->caption,
                                      .colour = figure->theme->soft};
    struct cup_lines lines;
    cup_lines_wrap(&lines, figure->canvas, figure->caption, whole_width(figure), CUP_LINES,
                   &lettering);
    double height = (double)lines.count * cup_line_step(&lettering) + figure->theme->gap;
    struct cup_canvas *canvas = figure->canvas;
    canvas->whole_height = canvas->height;
    if (canvas->sheet.for_page)
        canvas->whole_height += height + outer_margin(figure);
    else
        margins->bottom += height;
    struct cup_box sheet = {0, 0, canvas->width, canvas->whole_height};
    struct cup_point at = {outer_margin(figure),
                           sheet.height - outer_margin(figure) - height + figure->theme->gap};
    cup_canvas_box(canvas, sheet, figure->theme->paper, 1);
    write_lines(figure, &lines, at, &lettering);
}

/* ---- legend ------------------------------------------------------------------------------- */

void cup_figure_add_key(struct cup_figure *figure, enum cup_key_mark mark, struct cup_colour colour,
                        const char *format, ...)
{
    if (figure->key_count++ >= CUP_KEYS)
        return;
    struct cup_key *key = &figure->keys[figure->key_count - 1];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(key->text, sizeof key->text, format, arguments);
    va_end(arguments);
    key->mark = mark;
    key->colour = colour;
    key->opacity = mark == CUP_KEY_BAND ? 0.3 : 1;
}

void cup_figure_fade_key(struct cup_figure *figure, double opacity)
{
    if (figure->key_count && figure->key_count <= CUP_KEYS)
        figure->keys[figure->key_count - 1].opacity = opacity;
}

static void draw_swatch(const struct cup_figure *figure, const struct cup_key *key,
                        struct cup_point at, double length)
{
    const struct cup_theme *theme = figure->theme;
    double half = length / 2;
    struct cup_box box = {at.x, at.y - half, length, length};
    const struct cup_point line[] = {at, {at.x + length, at.y}};
    if (key->mark == CUP_KEY_BOX || key->mark == CUP_KEY_BAND)
        cup_canvas_box(figure->canvas, box, key->colour, key->opacity);
    else if (key->mark == CUP_KEY_DOT)
        cup_canvas_dot(figure->canvas, (struct cup_point){at.x + half, at.y}, half * 0.8,
                       key->colour, key->opacity);
    else if (key->mark != CUP_KEY_NONE)
        cup_canvas_line(figure->canvas, line, 2, key->colour,
                        key->mark == CUP_KEY_THIN ? theme->hair : theme->line * 1.2,
                        key->mark == CUP_KEY_DASHES ? theme->line * 2.5 : 0);
}

struct cup_axis cup_axis_up_to(const char *name, enum cup_axis_unit unit, double most)
{
    return (struct cup_axis){.name = name, .unit = unit, .high = most * 1.05};
}

struct cup_axis cup_axis_exact(const char *name, enum cup_axis_unit unit, double high)
{
    return (struct cup_axis){.name = name, .unit = unit, .exact = true, .high = high};
}

struct cup_axis cup_axis_names(const char *name, const struct cup_text *names, size_t count)
{
    return (struct cup_axis){.name = name, .names = names, .name_count = count};
}

struct cup_axis cup_axis_coloured(struct cup_axis axis, struct cup_colour colour)
{
    axis.coloured = true;
    axis.colour = colour;
    return axis;
}

struct cup_axis cup_run_axis(double seconds)
{
    return cup_axis_exact("time since the run began", CUP_AXIS_ELAPSED, seconds);
}

struct cup_axis cup_run_axis_from(double from, double seconds)
{
    struct cup_axis axis = cup_run_axis(seconds);
    axis.low = from;
    return axis;
}

static double swatch_length(const struct cup_figure *figure, const struct cup_key *key)
{
    switch (key->mark) {
    case CUP_KEY_NONE:
        return 0;
    case CUP_KEY_BOX:
    case CUP_KEY_BAND:
    case CUP_KEY_DOT:
        return figure->theme->text * 0.76;
    default:
        return figure->theme->text * 1.6;
    }
}

/* Draws the legend above the area, in as many rows as needed, so that it covers nothing. */
static void draw_legend(struct cup_figure *figure, struct margins *margins)
{
    const struct cup_theme *theme = figure->theme;
    struct cup_lettering lettering = {
        .size = theme->text, .down = CUP_HOLD_MIDDLE, .colour = theme->ink};
    double width = whole_width(figure), step = theme->text * 1.5;
    double across = 0, row = margins->top + step / 2;
    size_t shown = figure->key_count < CUP_KEYS ? figure->key_count : CUP_KEYS;
    if (figure->key_count > CUP_KEYS)
        snprintf(figure->keys[CUP_KEYS - 1].text, sizeof figure->keys->text, "and %zu more",
                 figure->key_count - CUP_KEYS + 1);
    for (size_t i = 0; i < shown; i++) {
        const struct cup_key *key = &figure->keys[i];
        char text[CUP_FITTED];
        double swatch = swatch_length(figure, key);
        cup_canvas_fit(figure->canvas, text, key->text, strlen(key->text),
                       (shown > 2 ? (width - 3 * theme->gap) / 2 : width) - swatch - theme->gap,
                       &lettering);
        double length = cup_canvas_text_width(figure->canvas, text, &lettering);
        if (across > 0 && across + swatch + theme->gap + length > width) {
            across = 0;
            row += step;
        }
        struct cup_point at = {outer_margin(figure) + across, row};
        draw_swatch(figure, key, at, swatch);
        at.x += swatch > 0 ? swatch + theme->gap * 0.8 : 0;
        cup_canvas_text(figure->canvas, at, text, &lettering);
        across += swatch + length + theme->gap * 3;
    }
    if (shown)
        margins->top = row + step / 2 + theme->gap * 0.3;
}

/* ---- axes --------------------------------------------------------------------------------- */

static void set_area(struct cup_figure *figure, const struct margins *margins)
{
    const struct cup_canvas *canvas = figure->canvas;
    figure->area = (struct cup_box){margins->left, margins->top,
                                    fmax(canvas->width - margins->left - margins->right, 1),
                                    fmax(canvas->height - margins->top - margins->bottom, 1)};
}

/* The largest share of the width for names of rows: wide pictures have room for long names. */
static double names_share(const struct cup_figure *figure)
{
    double inches = figure->canvas->width / 72;
    return fmax(0.38, fmin(0.5, 0.28 + 0.02 * inches));
}

static double names_width(const struct cup_figure *figure)
{
    struct cup_lettering lettering = cup_names_lettering(figure);
    double widest = 0, most = whole_width(figure) * names_share(figure);
    for (size_t i = 0; i < figure->y.name_count && widest < most; i++) {
        char shown[CUP_FITTED];
        const struct cup_text *name = &figure->y.names[i];
        cup_canvas_fit(figure->canvas, shown, name->bytes ? name->bytes : "", name->length, most,
                       &lettering);
        widest = fmax(widest, cup_canvas_text_width(figure->canvas, shown, &lettering));
    }
    return fmin(widest, most);
}

static struct cup_lettering name_lettering(const struct cup_figure *figure,
                                           const struct cup_axis *axis)
{
    struct cup_lettering lettering = cup_axis_lettering(figure, axis);
    lettering.across = CUP_HOLD_MIDDLE;
    lettering.upright = axis != &figure->x;
    return lettering;
}

/* Wraps the name of an axis to `length`; at a side it may have two lines. */
static void wrap_name(const struct cup_figure *figure, const struct cup_axis *axis, double length,
                      struct cup_lines *lines)
{
    char name[CUP_AXIS_NAME];
    struct cup_lettering lettering = name_lettering(figure, axis);
    size_t most = axis == &figure->x ? 1 : 2;
    cup_lines_wrap(lines, figure->canvas, cup_axis_full_name(name, axis), length, most, &lettering);
}

/* The width that an axis at the side takes: name and numbers. */
static double side_width(const struct cup_figure *figure, struct cup_axis *axis)
{
    const struct cup_theme *theme = figure->theme;
    if (!axis->name)
        return 0;
    if (axis->names)
        return names_width(figure) + theme->gap;
    struct cup_lines lines;
    double top = figure->area.top, bottom = top + figure->area.height;
    cup_axis_fit(figure, axis, bottom, top);
    wrap_name(figure, axis, figure->area.height, &lines);
    return cup_axis_text_width(figure, axis) + theme->text * (0.6 + 1.3 * (double)lines.count) +
           theme->gap * 0.5;
}

static void write_side_name(const struct cup_figure *figure, const struct cup_axis *axis)
{
    struct cup_lines lines;
    struct cup_lettering lettering = name_lettering(figure, axis);
    double step = cup_line_step(&lettering), middle = figure->area.top + figure->area.height / 2;
    bool right = axis == &figure->right;
    if (!axis->name || axis->names)
        return;
    wrap_name(figure, axis, figure->area.height, &lines);
    double first = right ? figure->canvas->width - outer_margin(figure) - step * (double)lines.count
                         : outer_margin(figure) - figure->theme->gap * 0.5;
    for (size_t i = 0; i < lines.count; i++)
        cup_canvas_text(figure->canvas, (struct cup_point){first + step * (double)i, middle},
                        lines.lines[i], &lettering);
}

static void write_x_name(const struct cup_figure *figure)
{
    struct cup_lettering lettering = name_lettering(figure, &figure->x);
    struct cup_lines lines;
    if (!figure->x.name)
        return;
    wrap_name(figure, &figure->x, figure->area.width, &lines);
    struct cup_point at = {figure->area.left + figure->area.width / 2,
                           figure->area.top + figure->area.height + figure->theme->text * 2};
    write_lines(figure, &lines, at, &lettering);
}

/* Makes room at the right for the last number of the x axis. */
static void fit_x(struct cup_figure *figure, struct margins *margins)
{
    struct cup_lettering lettering = cup_axis_lettering(figure, &figure->x);
    for (int pass = 0; pass < 2; pass++) {
        double left = figure->area.left, right = left + figure->area.width;
        cup_axis_fit(figure, &figure->x, left, right);
        double out = 0;
        for (size_t i = 0; i < figure->x.ticks.count; i++) {
            const struct cup_tick *tick = &figure->x.ticks.ticks[i];
            double half = cup_canvas_text_width(figure->canvas, tick->text, &lettering) / 2;
            out = fmax(out, cup_x(figure, tick->value) + half + figure->theme->gap * 0.5 -
                                figure->canvas->width);
        }
        if (out <= 0)
            return;
        margins->right += out;
        set_area(figure, margins);
    }
    cup_axis_fit(figure, &figure->x, figure->area.left, figure->area.left + figure->area.width);
}

/* ---- opening ------------------------------------------------------------------------------ */

static struct margins begin_figure(struct cup_figure *figure)
{
    double edge = outer_margin(figure);
    struct margins margins = {edge, edge, edge, edge};
    begin_sheet(figure, &margins);
    write_title(figure, &margins);
    draw_legend(figure, &margins);
    return margins;
}

void cup_figure_open(struct cup_figure *figure)
{
    struct margins margins = begin_figure(figure);
    double size = figure->theme->text;
    margins.top += size * 0.5; /* room for half of the uppermost number */
    margins.bottom += size * (figure->x.name ? 3.1 : 1.8);
    set_area(figure, &margins);
    margins.left += side_width(figure, &figure->y);
    margins.right += side_width(figure, &figure->right);
    set_area(figure, &margins);
    fit_x(figure, &margins);
    cup_draw_grid(figure);
    /* The clip is a bit larger than the area: a line along the edge, as at 100 %, keeps its whole
     * width. */
    double edge = figure->theme->line * 0.6;
    cup_canvas_clip(figure->canvas,
                    (struct cup_box){figure->area.left, figure->area.top - edge,
                                     figure->area.width + edge, figure->area.height + edge});
}

void cup_figure_close(struct cup_figure *figure)
{
    cup_canvas_release(figure->canvas);
    cup_draw_axes(figure);
    write_side_name(figure, &figure->y);
    write_side_name(figure, &figure->right);
    write_x_name(figure);
}

/* The smallest row has two thirds of the letters' size, on a page four fifths, because letters are
 * small there. Everything around the rows takes about twelve times the letters' size. */
size_t cup_rows_that_fit(const struct cup_figure *figure, size_t rows)
{
    double text = figure->theme->text, least = figure->canvas->sheet.for_page ? 0.95 : 0.78;
    double room = (figure->canvas->height - 12 * text) / (text * least);
    return room < 1 ? 1 : (double)rows < room ? rows : (size_t)room;
}

void cup_figure_set_rows(struct cup_figure *figure, const char *name, const struct cup_text *names,
                         size_t shown, size_t count)
{
    figure->y = cup_axis_names(name, names, shown);
    if (shown >= count)
        return;
    snprintf(figure->longer_caption, CUP_CAPTION, "%s Shown: the first %zu.", figure->caption,
             shown);
    figure->caption = figure->longer_caption;
}

double cup_row_height(const struct cup_figure *figure)
{
    size_t rows = figure->y.name_count;
    return figure->area.height / (double)(rows ? rows : 1);
}

double cup_row_top(const struct cup_figure *figure, size_t row)
{
    return figure->area.top + (double)row * cup_row_height(figure);
}

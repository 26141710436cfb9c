#include "plot/figure/axes.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- lines of text ------------------------------------------------------------------------ */

double cup_line_step(const struct cup_lettering *lettering)
{
    return lettering->size * 1.3;
}

/* The length in bytes of the longest part that fits and ends between words; at least one word. */
static size_t line_length(struct cup_canvas *canvas, const char *text, double width,
                          const struct cup_lettering *lettering)
{
    size_t fits = 0;
    for (size_t next = strcspn(text, " ");;) {
        char part[CUP_FITTED];
        if (next >= sizeof part)
            break;
        snprintf(part, sizeof part, "%.*s", (int)next, text);
        if (fits && cup_canvas_text_width(canvas, part, lettering) > width)
            break;
        fits = next;
        if (!text[next])
            break;
        next += 1 + strcspn(text + next + 1, " ");
    }
    return fits ? fits : strcspn(text, " ");
}

void cup_lines_wrap(struct cup_lines *lines, struct cup_canvas *canvas, const char *text,
                    double width, size_t most, const struct cup_lettering *lettering)
{
    for (lines->count = 0; *text && lines->count < most; lines->count++) {
        bool last = lines->count + 1 == most;
        size_t length = last ? strlen(text) : line_length(canvas, text, width, lettering);
        cup_canvas_fit(canvas, lines->lines[lines->count], text, length, width, lettering);
        text += length;
        text += strspn(text, " ");
    }
}

/* ---- choosing ticks ----------------------------------------------------------------------- */

struct cup_lettering cup_axis_lettering(const struct cup_figure *figure,
                                        const struct cup_axis *axis)
{
    return (struct cup_lettering){.size = figure->theme->text,
                                  .colour = axis->coloured ? axis->colour : figure->theme->ink};
}

struct cup_lettering cup_names_lettering(const struct cup_figure *figure)
{
    struct cup_lettering lettering = cup_axis_lettering(figure, &figure->y);
    double least = lettering.size * 0.65, fits = cup_row_height(figure) * 0.85;
    lettering.size = fmax(least, fmin(lettering.size, fits));
    lettering.across = CUP_HOLD_END;
    lettering.down = CUP_HOLD_MIDDLE;
    return lettering;
}

/* The length of a text along the axis. */
static double text_length(const struct cup_figure *figure, const struct cup_axis *axis,
                          const char *text)
{
    struct cup_lettering lettering = cup_axis_lettering(figure, axis);
    return axis == &figure->x ? cup_canvas_text_width(figure->canvas, text, &lettering)
                              : lettering.size * 0.9;
}

/* Counts the texts that touch the one before. With `prune`, removes them. */
static size_t count_touching(const struct cup_figure *figure, struct cup_axis *axis, bool prune)
{
    double end = NAN, gap = figure->theme->gap;
    size_t touching = 0;
    for (size_t i = 0; i < axis->ticks.count; i++) {
        struct cup_tick *tick = &axis->ticks.ticks[i];
        if (!tick->text[0])
            continue;
        double place = cup_scale_place(&axis->scale, tick->value);
        place = axis->scale.to < axis->scale.from ? -place : place;
        double half = text_length(figure, axis, tick->text) / 2;
        bool touches = place - half < end + gap; /* false for the first one, where `end` is NAN */
        touching += touches;
        if (touches && prune)
            tick->text[0] = '\0';
        else
            end = place + half;
    }
    return touching;
}

static unsigned most_ticks(const struct cup_figure *figure, const struct cup_axis *axis,
                           double room)
{
    double each = figure->theme->text * (axis == &figure->x ? 4 : 2.6);
    return (unsigned)fmin(10, fmax(2, room / each));
}

/* The name of a tick, shortened to the width of its column. In narrow columns names keep some
 * characters, and every second, third, ... one is shown. */
static void name_tick(const struct cup_figure *figure, const struct cup_axis *axis,
                      struct cup_text name, double width, struct cup_tick *tick)
{
    const struct cup_lettering lettering = cup_axis_lettering(figure, axis);
    double room = fmax(width - figure->theme->gap, 5 * lettering.size);
    char fitted[CUP_FITTED];
    do {
        cup_canvas_fit(figure->canvas, fitted, name.bytes ? name.bytes : "", name.length, room,
                       &lettering);
        room *= 0.8;
    } while (strlen(fitted) >= sizeof tick->text);
    memcpy(tick->text, fitted, strlen(fitted) + 1);
}

/* Makes a tick with a name in the middle of each column. */
static void name_columns(const struct cup_figure *figure, struct cup_axis *axis, double from,
                         double to)
{
    size_t count = axis->name_count < CUP_TICKS_MOST ? axis->name_count : CUP_TICKS_MOST;
    axis->scale = cup_scale_make(0, count ? (double)count : 1, false);
    axis->scale.from = from;
    axis->scale.to = to;
    axis->ticks = (struct cup_ticks){.count = count};
    for (size_t i = 0; i < count; i++) {
        axis->ticks.ticks[i].value = (double)i + 0.5;
        name_tick(figure, axis, axis->names[i], fabs(to - from) / (double)count,
                  &axis->ticks.ticks[i]);
    }
    count_touching(figure, axis, true);
}

void cup_axis_fit(const struct cup_figure *figure, struct cup_axis *axis, double from, double to)
{
    if (axis->names) {
        name_columns(figure, axis, from, to);
        return;
    }
    for (unsigned most = most_ticks(figure, axis, fabs(to - from)); most > 0; most--) {
        axis->scale = cup_scale_make(axis->low, axis->high, axis->log);
        if (!axis->exact)
            cup_ticks_round(&axis->scale, axis->unit, most);
        axis->scale.from = from;
        axis->scale.to = to;
        cup_ticks_make(&axis->ticks, &axis->scale, axis->unit, most);
        if (count_touching(figure, axis, false) == 0)
            return;
    }
    count_touching(figure, axis, true);
}

double cup_axis_text_width(const struct cup_figure *figure, const struct cup_axis *axis)
{
    struct cup_lettering lettering = cup_axis_lettering(figure, axis);
    double widest = 0;
    for (size_t i = 0; i < axis->ticks.count; i++)
        widest = fmax(widest,
                      cup_canvas_text_width(figure->canvas, axis->ticks.ticks[i].text, &lettering));
    return widest;
}

char *cup_axis_full_name(char to[CUP_AXIS_NAME], const struct cup_axis *axis)
{
    bool with_unit = axis->ticks.unit[0] && !axis->names;
    snprintf(to, CUP_AXIS_NAME, "%s%s%s%s", axis->name, with_unit ? " [" : "",
             with_unit ? axis->ticks.unit : "", with_unit ? "]" : "");
    return to;
}

/* ---- drawing ------------------------------------------------------------------------------ */

static void draw_rule(const struct cup_figure *figure, struct cup_point from, struct cup_point to,
                      struct cup_colour colour)
{
    const struct cup_point points[] = {from, to};
    cup_canvas_line(figure->canvas, points, 2, colour, figure->theme->hair, 0);
}

static void draw_grid_of(const struct cup_figure *figure, const struct cup_axis *axis)
{
    const struct cup_box *area = &figure->area;
    double right = area->left + area->width, bottom = area->top + area->height;
    for (size_t i = 0; i < axis->ticks.count; i++) {
        double at = cup_scale_place(&axis->scale, axis->ticks.ticks[i].value);
        if (!axis->ticks.ticks[i].text[0])
            continue;
        if (axis == &figure->x)
            draw_rule(figure, (struct cup_point){at, area->top}, (struct cup_point){at, bottom},
                      figure->theme->grid);
        else
            draw_rule(figure, (struct cup_point){area->left, at}, (struct cup_point){right, at},
                      figure->theme->grid);
    }
}

/* Horizontal lines for a numeric y axis, vertical ones for rows of bars, none for columns with
 * names. */
void cup_draw_grid(const struct cup_figure *figure)
{
    if (!figure->x.names)
        draw_grid_of(figure, figure->y.names ? &figure->x : &figure->y);
}

static void draw_x(const struct cup_figure *figure)
{
    double bottom = figure->area.top + figure->area.height, size = figure->theme->text;
    struct cup_lettering lettering = cup_axis_lettering(figure, &figure->x);
    lettering.across = CUP_HOLD_MIDDLE;
    for (size_t i = 0; i < figure->x.ticks.count; i++) {
        const struct cup_tick *tick = &figure->x.ticks.ticks[i];
        double at = cup_x(figure, tick->value), length = size * (tick->text[0] ? 0.4 : 0.2);
        draw_rule(figure, (struct cup_point){at, bottom}, (struct cup_point){at, bottom + length},
                  figure->theme->ink);
        if (tick->text[0])
            cup_canvas_text(figure->canvas, (struct cup_point){at, bottom + size * 0.7}, tick->text,
                            &lettering);
    }
}

/* Draws the axis at the left or at the right of the area. */
static void draw_y(const struct cup_figure *figure, const struct cup_axis *axis)
{
    bool right = axis == &figure->right;
    double side = right ? 1 : -1, size = figure->theme->text;
    double edge = figure->area.left + (right ? figure->area.width : 0);
    struct cup_lettering lettering = cup_axis_lettering(figure, axis);
    lettering.across = right ? CUP_HOLD_START : CUP_HOLD_END;
    lettering.down = CUP_HOLD_MIDDLE;
    for (size_t i = 0; i < axis->ticks.count; i++) {
        const struct cup_tick *tick = &axis->ticks.ticks[i];
        double at = cup_scale_place(&axis->scale, tick->value);
        double length = side * size * (tick->text[0] ? 0.4 : 0.2);
        draw_rule(figure, (struct cup_point){edge, at}, (struct cup_point){edge + length, at},
                  figure->theme->ink);
        if (tick->text[0])
            cup_canvas_text(figure->canvas, (struct cup_point){edge + side * size * 0.6, at},
                            tick->text, &lettering);
    }
}

/* If rows are lower than letters, only every n-th row gets its name. */
static void draw_names(const struct cup_figure *figure)
{
    struct cup_lettering lettering = cup_names_lettering(figure);
    double height = cup_row_height(figure), room = figure->area.left - figure->theme->gap * 2;
    size_t every = (size_t)ceil(lettering.size * 1.1 / height);
    for (size_t i = 0; i < figure->y.name_count; i += every ? every : 1) {
        const struct cup_text *name = &figure->y.names[i];
        char shown[CUP_FITTED];
        cup_canvas_fit(figure->canvas, shown, name->bytes ? name->bytes : "", name->length, room,
                       &lettering);
        cup_canvas_text(figure->canvas,
                        (struct cup_point){figure->area.left - figure->theme->gap,
                                           cup_row_top(figure, i) + height / 2},
                        shown, &lettering);
    }
}

void cup_draw_axes(const struct cup_figure *figure)
{
    const struct cup_box *area = &figure->area;
    double right = area->left + area->width, bottom = area->top + area->height;
    struct cup_colour ink = figure->theme->ink;
    draw_rule(figure, (struct cup_point){area->left, bottom}, (struct cup_point){right, bottom},
              ink);
    draw_rule(figure, (struct cup_point){area->left, area->top},
              (struct cup_point){area->left, bottom}, ink);
    draw_x(figure);
    if (figure->y.names)
        draw_names(figure);
    else
        draw_y(figure, &figure->y);
    if (!figure->right.name)
        return;
    draw_rule(figure, (struct cup_point){right, area->top}, (struct cup_point){right, bottom}, ink);
    draw_y(figure, &figure->right);
}

#include "plot/figure/marks.h"

#include <math.h>
#include <stdlib.h>

#include "plot/figure/hover_texts.h"

/* ---- lines -------------------------------------------------------------------------------- */

/* A line is drawn in pieces of this many points, so that it needs no allocation. */
enum { PIECE = 512 };

struct pen {
    struct cup_figure *figure;
    const struct cup_stroke *stroke;
    struct cup_point points[PIECE];
    size_t count;
};

static void draw_piece(struct pen *pen)
{
    const struct cup_theme *theme = pen->figure->theme;
    const struct cup_stroke *stroke = pen->stroke;
    struct cup_canvas *canvas = pen->figure->canvas;
    double bottom = pen->figure->area.top + pen->figure->area.height;
    if (stroke->filled && pen->count > 1) {
        struct cup_point area[PIECE + 2];
        size_t count = pen->count;
        for (size_t i = 0; i < count; i++)
            area[i] = pen->points[i];
        area[count] = (struct cup_point){area[count - 1].x, bottom};
        area[count + 1] = (struct cup_point){area[0].x, bottom};
        cup_canvas_area(canvas, area, count + 2, stroke->colour, 0.15);
    }
    if (pen->count > 1)
        cup_canvas_line(canvas, pen->points, pen->count, stroke->colour,
                        stroke->thin ? theme->hair : theme->line,
                        stroke->dashed ? theme->line * 2.5 : 0);
    else if (pen->count == 1)
        cup_canvas_dot(canvas, pen->points[0], theme->dot, stroke->colour, 1);
    if (pen->count)
        pen->points[0] = pen->points[pen->count - 1];
}

static void append_point(struct pen *pen, double x, double y)
{
    if (pen->count == PIECE) {
        draw_piece(pen);
        pen->count = 1;
    }
    pen->points[pen->count++] = (struct cup_point){x, y};
}

static void add_vertex(struct pen *pen, double x, double y)
{
    if (pen->stroke->steps && pen->count)
        append_point(pen, x, pen->points[pen->count - 1].y);
    append_point(pen, x, y);
}

/* The points within one narrow column of the paper: their extremes, and the last one. */
struct column {
    double x, least, most, last;
    size_t count;
};

static void add_column_points(struct pen *pen, struct column *column)
{
    if (column->count > 2) {
        add_vertex(pen, column->x, column->least);
        add_vertex(pen, column->x, column->most);
    }
    if (column->count > 1)
        add_vertex(pen, column->x, column->last);
    column->count = 0;
}

static void add_point(struct pen *pen, struct column *column, double x, double y)
{
    const double width = 0.25; /* of a column, in points: less than a pixel */
    if (column->count && x - column->x >= width)
        add_column_points(pen, column);
    if (!column->count) {
        *column = (struct column){x, y, y, y, 1};
        add_vertex(pen, x, y);
        return;
    }
    column->least = fmin(column->least, y);
    column->most = fmax(column->most, y);
    column->last = y;
    column->count++;
}

static void end_line(struct pen *pen, struct column *column)
{
    add_column_points(pen, column);
    draw_piece(pen);
    pen->count = 0;
}

/* With steps, the last value before a gap holds until the gap's first point. */
static void hold_until(struct pen *pen, struct column *column, double x)
{
    add_column_points(pen, column);
    if (pen->stroke->steps && pen->count && !isnan(x))
        append_point(pen, x, pen->points[pen->count - 1].y);
}

void cup_mark_line(struct cup_figure *figure, const double *x, const double *y, size_t count,
                   const struct cup_stroke *stroke)
{
    struct pen pen = {.figure = figure, .stroke = stroke};
    struct column column = {.count = 0};
    const struct cup_axis *axis = stroke->right ? &figure->right : &figure->y;
    double last_hover = -INFINITY; /* place of the last hover text; the next one keeps a distance */
    for (size_t i = 0; i < count; i++) {
        double across = cup_x(figure, x[i]), up = cup_scale_place(&axis->scale, y[i]);
        if (isnan(across) || isnan(up)) {
            hold_until(&pen, &column, across);
            end_line(&pen, &column);
            continue;
        }
        add_point(&pen, &column, across, up);
        if (stroke->thin || across - last_hover < figure->theme->gap)
            continue;
        last_hover = across;
        cup_hover_point(figure, (struct cup_point){across, up}, x[i], y[i], axis, stroke->colour);
    }
    end_line(&pen, &column);
}

/* The values of x between which the straight line is within the axes. */
static struct cup_range clip_slope(const struct cup_figure *figure, double offset, double slope)
{
    struct cup_range x = {figure->x.scale.low, figure->x.scale.high};
    double low = (figure->y.scale.low - offset) / slope;
    double high = (figure->y.scale.high - offset) / slope;
    if (slope != 0) {
        x.low = fmax(x.low, fmin(low, high));
        x.high = fmin(x.high, fmax(low, high));
    }
    return x;
}

double cup_mark_slope(struct cup_figure *figure, double offset, double slope,
                      const struct cup_stroke *stroke)
{
    const struct cup_range range = clip_slope(figure, offset, slope);
    const double x[] = {range.low, range.high};
    const double y[] = {offset + slope * x[0], offset + slope * x[1]};
    bool level = slope == 0 && !(offset >= figure->y.scale.low && offset <= figure->y.scale.high);
    if (level || !(x[0] < x[1]) || !isfinite(y[0]) || !isfinite(y[1]))
        return NAN;
    cup_mark_line(figure, x, y, 2, stroke);
    return x[1];
}

static bool is_known(const struct cup_figure *figure, double x, double low, double high)
{
    return !isnan(cup_x(figure, x)) && !isnan(cup_y(figure, low)) && !isnan(cup_y(figure, high));
}

static void fill_band(struct cup_figure *figure, const double *x, const double *low,
                      const double *high, size_t count, struct cup_colour colour, double opacity)
{
    struct cup_point points[2 * PIECE];
    for (size_t i = 0; i < count; i++) {
        points[i] = (struct cup_point){cup_x(figure, x[i]), cup_y(figure, high[i])};
        points[2 * count - 1 - i] = (struct cup_point){cup_x(figure, x[i]), cup_y(figure, low[i])};
    }
    if (count > 1)
        cup_canvas_area(figure->canvas, points, 2 * count, colour, opacity);
}

static void fill_bands(struct cup_figure *figure, const double *x, const double *low,
                       const double *high, size_t count, struct cup_colour colour, double opacity)
{
    for (size_t first = 0; first < count;) {
        size_t length = 0;
        while (length < PIECE && first + length < count &&
               is_known(figure, x[first + length], low[first + length], high[first + length]))
            length++;
        fill_band(figure, x + first, low + first, high + first, length, colour, opacity);
        first +=
            length == PIECE
                ? length - 1
                : length +
                      1; /* the next piece begins where this one ends; after a gap it does not */
    }
}

void cup_mark_band(struct cup_figure *figure, const double *x, const double *low,
                   const double *high, size_t count, struct cup_colour colour)
{
    fill_bands(figure, x, low, high, count, colour, 0.3);
}

void cup_mark_stack(struct cup_figure *figure, const double *x, const double *low,
                    const double *high, size_t count, struct cup_colour colour)
{
    fill_bands(figure, x, low, high, count, colour, 1);
}

/* ---- bars and dots ------------------------------------------------------------------------ */

static bool is_inside(const struct cup_figure *figure, double x, double y)
{
    const struct cup_box *area = &figure->area;
    return x >= area->left - 1 && x <= area->left + area->width + 1 && y >= area->top - 1 &&
           y <= area->top + area->height + 1;
}

void cup_mark_dot(struct cup_figure *figure, double x, double y, struct cup_colour colour,
                  double opacity)
{
    struct cup_point at = {cup_x(figure, x), cup_y(figure, y)};
    if (!is_inside(figure, at.x, at.y))
        return;
    cup_canvas_dot(figure->canvas, at, figure->theme->dot, colour, opacity);
    cup_hover_point(figure, at, x, y, &figure->y, colour);
}

void cup_mark_column(struct cup_figure *figure, double from, double to, double low, double high,
                     struct cup_colour colour)
{
    double left = cup_x(figure, from), right = cup_x(figure, to), top = cup_y(figure, high);
    double bottom = cup_y(figure, low);
    if (isnan(bottom)) /* 0 on a log axis */
        bottom = figure->area.top + figure->area.height;
    if (isnan(left) || isnan(right) || isnan(top) || !(bottom > top))
        return;
    double seam = fmin(figure->theme->hair * 0.5, (right - left) * 0.1);
    struct cup_box box = {left + seam, top, right - left - 2 * seam, bottom - top};
    cup_canvas_box(figure->canvas, box, colour, 1);
    cup_hover_column(figure, box, from, to, high, colour);
}

/* The share of a row's height that bars leave free. */
#define BETWEEN_ROWS 0.25
#define THICKEST 5 /* largest height of a bar, in heights of letters */

static struct cup_box row_box(const struct cup_figure *figure, size_t row)
{
    double height = cup_row_height(figure) * (1 - BETWEEN_ROWS);
    if (!figure->high_rows)
        height = fmin(height, figure->theme->text * THICKEST);
    double top = cup_row_top(figure, row) + (cup_row_height(figure) - height) / 2;
    return (struct cup_box){figure->area.left, top, figure->area.width, height};
}

void cup_mark_bar(struct cup_figure *figure, size_t row, unsigned part, unsigned parts, double from,
                  double to, struct cup_colour colour)
{
    double left = cup_x(figure, from), right = cup_x(figure, to);
    struct cup_box box = row_box(figure, row);
    left = fmax(isnan(left) ? figure->area.left : left, figure->area.left);
    box.height /= parts;
    box = (struct cup_box){left, box.top + part * box.height, right - left, box.height};
    if (!(right > left))
        return;
    cup_canvas_box(figure->canvas, box, colour, 1);
    figure->bar = colour;
    cup_hover_bar(figure, box, row, from, to, colour);
}

void cup_mark_row_dot(struct cup_figure *figure, size_t row, double x, struct cup_colour colour)
{
    struct cup_point at = {cup_x(figure, x), cup_row_top(figure, row) + cup_row_height(figure) / 2};
    if (is_inside(figure, at.x, at.y))
        cup_canvas_dot(figure->canvas, at, figure->theme->dot, colour, 1);
}

void cup_mark_seam(struct cup_figure *figure, size_t row, double x)
{
    double at = cup_x(figure, x), top = cup_row_top(figure, row);
    const struct cup_point points[] = {{at, top}, {at, top + cup_row_height(figure)}};
    if (!isnan(at))
        cup_canvas_line(figure->canvas, points, 2, figure->theme->paper, figure->theme->hair * 0.5,
                        0);
}

/* ---- texts -------------------------------------------------------------------------------- */

static struct cup_lettering small_lettering(const struct cup_figure *figure)
{
    return (struct cup_lettering){
        .size = figure->theme->caption, .down = CUP_HOLD_MIDDLE, .colour = figure->theme->ink};
}

/* Writes a text on a patch of paper, so that grid lines do not cross it. */
static void write_on(struct cup_figure *figure, struct cup_point at, double width, const char *text,
                     const struct cup_lettering *lettering)
{
    double left = lettering->across == CUP_HOLD_END ? at.x - width : at.x, high = lettering->size;
    cup_canvas_box(figure->canvas, (struct cup_box){left, at.y - high * 0.6, width, high * 1.2},
                   figure->theme->paper, 0.85);
    cup_canvas_text(figure->canvas, at, text, lettering);
}

static bool is_written(const struct cup_canvas *canvas, struct cup_box box)
{
    for (size_t i = 0; i < canvas->written_count; i++) {
        const struct cup_box *other = &canvas->written[i].box;
        if (box.left < other->left + other->width && other->left < box.left + box.width &&
            box.top < other->top + other->height && other->top < box.top + box.height)
            return true;
    }
    return false;
}

/* Writes a text beside a place, `lines` lines further down. Returns false if there is no room. */
static bool write_beside(struct cup_figure *figure, double across, double up, const char *text,
                         double lines)
{
    struct cup_lettering lettering = small_lettering(figure);
    const struct cup_box *area = &figure->area;
    double gap = figure->theme->gap;
    double width = cup_canvas_text_width(figure->canvas, text, &lettering);
    bool before = across + gap + width > area->left + area->width;
    if (!is_inside(figure, across, up) || (before && across - gap - width < area->left))
        return false;
    up += lettering.size *
          (1.3 * lines - (before ? 0.8 : 0)); /* above a line that ends at the place */
    up = fmax(area->top + lettering.size, fmin(up, area->top + area->height - lettering.size));
    lettering.across = before ? CUP_HOLD_END : CUP_HOLD_START;
    double left = across + (before ? -gap - width : gap);
    struct cup_box box = {left, up - lettering.size * 0.6, width, lettering.size * 1.2};
    if (is_written(figure->canvas, box))
        return false;
    write_on(figure, (struct cup_point){across + (before ? -gap : gap), up}, width, text,
             &lettering);
    return true;
}

void cup_mark_text(struct cup_figure *figure, double x, double y, const char *text)
{
    write_beside(figure, cup_x(figure, x), cup_y(figure, y), text, 0);
}

void cup_mark_text_at(struct cup_figure *figure, double across, double up, const char *text)
{
    write_beside(figure, across, up, text, 0);
}

void cup_mark_name(struct cup_figure *figure, double x, double y, const char *text)
{
    static const double lines[] = {0, 0.8, 1.6, -0.8, -1.6};
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
        if (write_beside(figure, cup_x(figure, x), cup_y(figure, y), text, lines[i]))
            return;
}

static struct cup_lettering bar_lettering(const struct cup_figure *figure)
{
    struct cup_lettering lettering = small_lettering(figure);
    lettering.size = fmin(lettering.size, cup_row_height(figure) * 0.85);
    return lettering;
}

static double bar_gap(const struct cup_figure *figure)
{
    return figure->theme->gap * 0.7;
}

bool cup_bar_text_fits(struct cup_figure *figure, double to, const char *text)
{
    struct cup_lettering lettering = bar_lettering(figure);
    double end = fmax(cup_x(figure, to), figure->area.left);
    return end + bar_gap(figure) + cup_canvas_text_width(figure->canvas, text, &lettering) <=
           figure->area.left + figure->area.width;
}

/* The text colour on a coloured bar: black or white. */
static struct cup_colour text_colour_on(struct cup_colour colour)
{
    double lightness = 0.21 * colour.red + 0.72 * colour.green + 0.07 * colour.blue;
    return lightness > 0.5 ? (struct cup_colour){0, 0, 0} : (struct cup_colour){1, 1, 1};
}

void cup_mark_bar_text(struct cup_figure *figure, size_t row, double from, double to,
                       const char *text)
{
    struct cup_lettering lettering = bar_lettering(figure);
    double left = figure->area.left, right = left + figure->area.width, gap = bar_gap(figure);
    double end = fmin(fmax(cup_x(figure, to), left), right);
    double start = fmin(fmax(cup_x(figure, from), left), right);
    double width = cup_canvas_text_width(figure->canvas, text, &lettering);
    struct cup_point at = {end + gap, cup_row_top(figure, row) + cup_row_height(figure) / 2};
    if (isnan(cup_x(figure, to)) || lettering.size < figure->theme->caption * 0.7)
        return;
    bool behind = at.x + width <= right, before = start - gap - width >= left;
    if (!behind) {
        at.x = (before ? start : end) - gap;
        lettering.across = CUP_HOLD_END;
    }
    if (!behind && at.x - width < left)
        return;
    if (behind || before) {
        write_on(figure, at, width, text, &lettering);
        return;
    }
    lettering.colour = text_colour_on(figure->bar);
    cup_canvas_text(figure->canvas, at, text, &lettering);
}

/* ---- levels and densities ----------------------------------------------------------------- */

static void draw_dashes(struct cup_figure *figure, struct cup_point from, struct cup_point to,
                        struct cup_colour colour)
{
    const struct cup_point points[] = {from, to};
    cup_canvas_line(figure->canvas, points, 2, colour, figure->theme->line * 0.8,
                    figure->theme->line * 2.5);
}

void cup_mark_level(struct cup_figure *figure, double y, struct cup_colour colour)
{
    const struct cup_box *area = &figure->area;
    double at = cup_y(figure, y);
    if (!isnan(at))
        draw_dashes(figure, (struct cup_point){area->left, at},
                    (struct cup_point){area->left + area->width, at}, colour);
}

void cup_mark_upright(struct cup_figure *figure, double x, struct cup_colour colour)
{
    const struct cup_box *area = &figure->area;
    double at = cup_x(figure, x);
    if (!isnan(at))
        draw_dashes(figure, (struct cup_point){at, area->top},
                    (struct cup_point){at, area->top + area->height}, colour);
}

void cup_mark_density(struct cup_figure *figure, const double *strengths, size_t columns,
                      size_t rows)
{
    struct cup_cell *cells = calloc(columns * rows + 1, sizeof *cells);
    if (!cells) {
        figure->canvas->out_of_memory = true;
        return;
    }
    for (size_t i = 0; i < columns * rows; i++)
        if (strengths[i] > 0)
            cells[i] = (struct cup_cell){cup_theme_strength(figure->theme, strengths[i]), 1};
    cup_canvas_cells(figure->canvas, figure->area, cells, columns, rows);
    free(cells);
}

void cup_mark_heat(struct cup_figure *figure, size_t row, double from, double to, double strength,
                   double percent)
{
    struct cup_box box = row_box(figure, row);
    double left = cup_x(figure, from), right = cup_x(figure, to);
    struct cup_colour colour = cup_theme_strength(figure->theme, strength);
    if (!(right > left) || !(strength >= 0))
        return;
    /* Overlaps the next piece, which is drawn over it, so that no paper shows between them. */
    double end = fmin(right + figure->theme->hair, figure->area.left + figure->area.width);
    box.left = left;
    box.width = end - left;
    cup_canvas_box(figure->canvas, box, colour, 1);
    cup_hover_heat(figure, box, row, from, to, percent, colour);
}

/* The text in the middle of a box, in black or white. */
static void write_within(struct cup_figure *figure, const struct cup_box *box, const char *text,
                         struct cup_colour paper)
{
    struct cup_lettering lettering = bar_lettering(figure);
    double width = cup_canvas_text_width(figure->canvas, text, &lettering);
    if (width + bar_gap(figure) > box->width || lettering.size < figure->theme->caption * 0.7)
        return;
    lettering.colour = text_colour_on(paper);
    lettering.across = CUP_HOLD_MIDDLE;
    struct cup_point at = {box->left + box->width / 2, box->top + box->height / 2};
    cup_canvas_text(figure->canvas, at, text, &lettering);
}

void cup_mark_cell(struct cup_figure *figure, size_t row, size_t column, struct cup_text name,
                   double strength, const char *text)
{
    struct cup_box box = row_box(figure, row);
    struct cup_colour colour = cup_theme_strength(figure->theme, strength);
    double left = cup_x(figure, (double)column), right = cup_x(figure, (double)column + 1);
    if (!(right > left) || !(strength >= 0))
        return;
    box.left = left;
    box.width = right - left;
    cup_canvas_box(figure->canvas, box, colour, 1);
    write_within(figure, &box, text, colour);
    cup_hover_cell(figure, box, row, name, text, colour);
}

/* Marks to put into an open figure: lines, bands, bars, dots, densities. Values that are NAN or
 * outside of the axes are left out. */
#pragma once

#include "plot/figure/figure.h"

struct cup_stroke {
    struct cup_colour colour;
    bool right; /* values belong to the right axis */
    bool dashed;
    bool thin;   /* as thin as the grid */
    bool steps;  /* each value holds until the next one */
    bool filled; /* also fills the area down to the axis, lightly */
};

/* A line through any number of points, sorted by x. Where many points are within a quarter of a
 * point, it goes through the least and the largest of them. */
void cup_mark_line(struct cup_figure *figure, const double *x, const double *y, size_t count,
                   const struct cup_stroke *stroke);

/* The part of the line y = offset + slope * x that is within the axes, which are linear. Returns
 * the x where it ends; NAN: no part of it is within. */
double cup_mark_slope(struct cup_figure *figure, double offset, double slope,
                      const struct cup_stroke *stroke);

/* The area between two lines: pale for a band, opaque for a part of a stack. */
void cup_mark_band(struct cup_figure *figure, const double *x, const double *low,
                   const double *high, size_t count, struct cup_colour colour);
void cup_mark_stack(struct cup_figure *figure, const double *x, const double *low,
                    const double *high, size_t count, struct cup_colour colour);

void cup_mark_dot(struct cup_figure *figure, double x, double y, struct cup_colour colour,
                  double opacity);

/* A column from `from` to `to` in x and from `low` to `high` in y. */
void cup_mark_column(struct cup_figure *figure, double from, double to, double low, double high,
                     struct cup_colour colour);

/* A bar in a row with a name, from `from` to `to` in x. It takes part number `part` of the `parts`
 * that share the height of the row. */
void cup_mark_bar(struct cup_figure *figure, size_t row, unsigned part, unsigned parts, double from,
                  double to, struct cup_colour colour);

/* A piece of a heat map in a row with a name, from `from` to `to` in x. `strength` is 0 to 1, NAN:
 * nothing is drawn; `percent` is the value in the hover text. */
void cup_mark_heat(struct cup_figure *figure, size_t row, double from, double to, double strength,
                   double percent);

/* A cell of a matrix, in a row and a column with names. `strength` as above; `text` is written into
 * the cell if there is room, and is part of the hover text. */
void cup_mark_cell(struct cup_figure *figure, size_t row, size_t column, struct cup_text name,
                   double strength, const char *text);

/* A dot in the middle of a row. */
void cup_mark_row_dot(struct cup_figure *figure, size_t row, double x, struct cup_colour colour);

/* A thin gap between two adjacent bars of a row. */
void cup_mark_seam(struct cup_figure *figure, size_t row, double x);

/* A small text beside a place, given in values. Left out if it has no room within the area or would
 * cover another text. */
void cup_mark_text(struct cup_figure *figure, double x, double y, const char *text);

/* The same, at a place in points. */
void cup_mark_text_at(struct cup_figure *figure, double across, double up, const char *text);

/* The name of a dot: like cup_mark_text(), but moved up or down if another text is there. */
void cup_mark_name(struct cup_figure *figure, double x, double y, const char *text);

/* A text behind the bar from `from` to `to`; if there is no room, before the bar; else within it,
 * in black or white. */
void cup_mark_bar_text(struct cup_figure *figure, size_t row, double from, double to,
                       const char *text);

/* True if the text fits behind a bar that ends at `to`. */
bool cup_bar_text_fits(struct cup_figure *figure, double to, const char *text);

/* A dashed line across the whole area, at a value of y or of x. */
void cup_mark_level(struct cup_figure *figure, double y, struct cup_colour colour);
void cup_mark_upright(struct cup_figure *figure, double x, struct cup_colour colour);

/* A grid of strengths (0: nothing, to 1) that fills the area, row by row from the top. */
void cup_mark_density(struct cup_figure *figure, const double *strengths, size_t columns,
                      size_t rows);

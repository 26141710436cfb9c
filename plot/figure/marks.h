/* What is put into a figure: lines, bands, bars, dots, densities. Values that are NAN are left out,
 * as is what lies outside of the axes. */
#ifndef CUPPING_PLOT_FIGURE_MARKS_H
#define CUPPING_PLOT_FIGURE_MARKS_H

#include "plot/figure/figure.h"

struct cup_stroke {
    struct cup_colour colour;
    bool right; /* by the axis at the right */
    bool dashed;
    bool thin;   /* as lines of a grid are */
    bool steps;  /* each value holds until the next one */
    bool filled; /* the area down to the axis too, lightly */
};

/* A line through any number of points in the order of x: where many share a column of the paper, it
 * goes through the least and the largest of them. */
void cup_mark_line(struct cup_figure *figure, const double *x, const double *y, size_t count,
                   const struct cup_stroke *stroke);

/* Between two lines: lightly, or, of a stack of them, in full. */
void cup_mark_band(struct cup_figure *figure, const double *x, const double *low,
                   const double *high, size_t count, struct cup_colour colour);
void cup_mark_stack(struct cup_figure *figure, const double *x, const double *low,
                    const double *high, size_t count, struct cup_colour colour);

void cup_mark_dot(struct cup_figure *figure, double x, double y, struct cup_colour colour,
                  double opacity);

/* Likewise, drawn so many points to the right of its place: see swarm.h. */
void cup_mark_dot_beside(struct cup_figure *figure, double x, double y, double points,
                         struct cup_colour colour, double opacity);

/* From `from` to `to` in x, from the bottom (or `low`) to `high` in y. */
void cup_mark_column(struct cup_figure *figure, double from, double to, double low, double high,
                     struct cup_colour colour);

/* In a row with a name: from `from` to `to` in x. `part` of `parts` that share the height of the
 * row. */
void cup_mark_bar(struct cup_figure *figure, size_t row, unsigned part, unsigned parts, double from,
                  double to, struct cup_colour colour);

/* In a row with a name, from `from` to `to` in x: a strength (0 to 1; NAN: nothing is drawn), which
 * stands for so many percent. */
void cup_mark_heat(struct cup_figure *figure, size_t row, double from, double to, double strength,
                   double percent);
/* A dot in the middle of a row. */
void cup_mark_row_dot(struct cup_figure *figure, size_t row, double x, struct cup_colour colour);

/* A thin gap between two bars of a row that meet there. */
void cup_mark_seam(struct cup_figure *figure, size_t row, double x);

/* A small text at a place of the data; beside it, where it stays within the area. Not drawn where
 * it would have no room, or cover another text. */
void cup_mark_text(struct cup_figure *figure, double x, double y, const char *text);

/* Likewise, of a dot: a bit higher or lower where another text is. */
void cup_mark_name(struct cup_figure *figure, double x, double y, const char *text);

/* Behind the bar that goes from `from` to `to`; where there is no room, before it, or within it:
 * then in a colour that is read on the bar last drawn. */
void cup_mark_bar_text(struct cup_figure *figure, size_t row, double from, double to,
                       const char *text);

/* True if there is room behind it. */
bool cup_bar_text_fits(struct cup_figure *figure, double to, const char *text);

/* A line across the whole area at a value of y, or of x. */
void cup_mark_level(struct cup_figure *figure, double y, struct cup_colour colour);
void cup_mark_upright(struct cup_figure *figure, double x, struct cup_colour colour);

/* A grid of strengths (0: nothing, to 1) that fills the area, row by row from the top. */
void cup_mark_density(struct cup_figure *figure, const double *strengths, size_t columns,
                      size_t rows);

#endif

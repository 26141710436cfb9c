/* A plane: a row with a name, or the whole area of a figure, with a y scale of its own. The x scale
 * is the figure's. */
#ifndef CUPPING_PLOT_FIGURE_PLANE_H
#define CUPPING_PLOT_FIGURE_PLANE_H

#include "plot/figure/figure.h"

struct cup_plane {
    struct cup_box box;
    double high; /* value at the top; the bottom is 0 */
};

/* Row number `row` of `rows`. */
struct cup_plane cup_plane_of(const struct cup_figure *figure, size_t row, size_t rows,
                              double high);

/* A range of x (from, to) and of the plane's values (low, high). NAN: left out. */
struct cup_plane_part {
    double from, to, low, high;
};

/* A line from the range's lower left to its upper right; a very short one becomes a small box. */
void cup_plane_line(struct cup_figure *figure, const struct cup_plane *plane,
                    const struct cup_plane_part *at, struct cup_colour colour);

/* Fills the range with a pale box. */
void cup_plane_box(struct cup_figure *figure, const struct cup_plane *plane,
                   const struct cup_plane_part *at, struct cup_colour colour);

/* Fills the plane with cells, row by row from the top. */
void cup_plane_cells(struct cup_figure *figure, const struct cup_plane *plane,
                     const struct cup_cell *cells, size_t columns, size_t rows);

/* A thin line at the bottom of the plane. */
void cup_plane_border(struct cup_figure *figure, const struct cup_plane *plane);

#endif

/* A row with a name, or the whole area of a figure, as a plane with a scale of its own from the
 * bottom up; across it is that of the figure. */
#ifndef CUPPING_PLOT_FIGURE_PLANE_H
#define CUPPING_PLOT_FIGURE_PLANE_H

#include "plot/figure/figure.h"

struct cup_plane {
    struct cup_box box;
    double high; /* value at its top; 0 is at its bottom */
};

/* Row ROW of ROWS; HIGH above 0. */
struct cup_plane cup_plane_of(const struct cup_figure *figure, size_t row, size_t rows,
                              double high);

/* From one corner to the other, and never too short to be seen. NAN: left out. */
struct cup_plane_part {
    double from, to, low, high;
};
void cup_plane_line(struct cup_figure *figure, const struct cup_plane *plane,
                    const struct cup_plane_part *at, struct cup_colour colour);

/* All between its corners, lightly. */
void cup_plane_box(struct cup_figure *figure, const struct cup_plane *plane,
                   const struct cup_plane_part *at, struct cup_colour colour);

/* Columns and rows of cells that fill it, from the top. */
void cup_plane_cells(struct cup_figure *figure, const struct cup_plane *plane,
                     const struct cup_cell *cells, size_t columns, size_t rows);

/* A thin line below it. */
void cup_plane_border(struct cup_figure *figure, const struct cup_plane *plane);

#endif

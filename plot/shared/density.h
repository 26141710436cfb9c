/* Points that are too many for dots: how many are in each cell of a grid that fills the axes. */
#ifndef CUPPING_PLOT_SHARED_DENSITY_H
#define CUPPING_PLOT_SHARED_DENSITY_H

#include "plot/figure/figure.h"
#include "plot/shared/plot.h"

/* More points than CUP_DOTS_MOST are drawn as a density. */
enum { CUP_DOTS_MOST = 4000, CUP_DENSITY_X = 120, CUP_DENSITY_Y = 75 };

struct cup_density {
    double *cells; /* points in each, row by row from the top; NULL: there is none */
    double most;   /* in a cell */
};

/* Empty, in the arena. Returns 0, or -1 without memory. */
int cup_density_make(struct cup_density *density, struct cup_arena *arena);

/* A point, by its shares (0 to 1) of the axes; what is outside is left out. */
void cup_density_add(struct cup_density *density, double x, double y);

/* How strongly a cell is drawn: 0 to 1. It goes with the logarithm: a cell with one point is seen
 * beside one with a thousand. */
double cup_density_strength(const struct cup_density *density, size_t cell);

/* The legend, before the axes are open, and the grid, behind all else. */
void cup_density_key(struct cup_figure *figure, const struct cup_density *density);
void cup_density_draw(struct cup_figure *figure, const struct cup_density *density);

#endif

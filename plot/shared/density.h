/* For too many points to draw as dots: the number of points in each cell of a grid that fills the
 * axes. */
#ifndef CUPPING_PLOT_SHARED_DENSITY_H
#define CUPPING_PLOT_SHARED_DENSITY_H

#include "plot/figure/figure.h"
#include "plot/shared/plot.h"

/* More points than CUP_DOTS_MOST are drawn as a density. */
enum { CUP_DOTS_MOST = 4000, CUP_DENSITY_X = 120, CUP_DENSITY_Y = 75 };

struct cup_density {
    double *cells; /* points in each, row by row from the top; NULL: there is no density */
    double most;   /* points in the fullest cell */
};

/* Makes an empty density in the arena. Returns 0, or -1 without memory. */
int cup_density_make(struct cup_density *density, struct cup_arena *arena);

/* Adds a point, given as shares (0 to 1) of the axes. Points outside are left out. */
void cup_density_add(struct cup_density *density, double x, double y);

/* How strongly a cell is drawn, 0 to 1. It follows the logarithm, so that a cell with one point is
 * visible next to one with a thousand. */
double cup_density_strength(const struct cup_density *density, size_t cell);

/* cup_density_key() adds the legend; call it before the figure is opened. cup_density_draw() draws
 * the grid; call it before all other marks, which it would cover. */
void cup_density_key(struct cup_figure *figure, const struct cup_density *density);
void cup_density_draw(struct cup_figure *figure, const struct cup_density *density);

/* Dots that do not hide each other: a dot on an occupied place is moved sideways. */

struct cup_swarm {
    struct cup_figure *figure;
    double opacity;
    unsigned char *taken; /* owned; number of dots in each square of a dot's size, row by row */
    size_t columns, rows;
};

/* Begins a swarm of about `count` dots. Call cup_swarm_end() afterwards. */
void cup_swarm_begin(struct cup_swarm *swarm, struct cup_figure *figure, size_t count);
void cup_swarm_dot(struct cup_swarm *swarm, double x, double y, struct cup_colour colour);
void cup_swarm_end(struct cup_swarm *swarm);

#endif

/* Dots that do not hide each other: a dot on an occupied place is moved sideways. */
#ifndef CUPPING_PLOT_FIGURE_SWARM_H
#define CUPPING_PLOT_FIGURE_SWARM_H

#include "plot/figure/figure.h"

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

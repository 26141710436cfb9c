/* Dots of which none hides another: where one would, it is put beside it. */
#ifndef CUPPING_PLOT_FIGURE_SWARM_H
#define CUPPING_PLOT_FIGURE_SWARM_H

#include "plot/figure/figure.h"

struct cup_swarm {
    struct cup_figure *figure;
    double opacity;
    unsigned char *taken; /* of each place as large as a dot, row by row: dots that belong there */
    size_t columns, rows;
};

/* For about `count` dots. Ended by cup_swarm_end(). */
void cup_swarm_begin(struct cup_swarm *swarm, struct cup_figure *figure, size_t count);
void cup_swarm_dot(struct cup_swarm *swarm, double x, double y, struct cup_colour colour);
void cup_swarm_end(struct cup_swarm *swarm);

#endif

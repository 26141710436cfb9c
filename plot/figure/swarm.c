#include "plot/figure/swarm.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>

#include "plot/figure/marks.h"

/* A dot moves sideways by at most so many dots: further out it would show another value. */
enum { SIDEWAYS = 8 };

static double place_size(const struct cup_swarm *swarm)
{
    return 2 * swarm->figure->theme->dot;
}

void cup_swarm_begin(struct cup_swarm *swarm, struct cup_figure *figure, size_t count)
{
    *swarm = (struct cup_swarm){.figure = figure, .opacity = count > 500 ? 0.45 : 0.8};
    swarm->columns = (size_t)(figure->area.width / place_size(swarm)) + 1;
    swarm->rows = (size_t)(figure->area.height / place_size(swarm)) + 1;
    swarm->taken = calloc(swarm->columns * swarm->rows, 1);
    if (!swarm->taken)
        figure->canvas->out_of_memory = true;
}

/* Counts a dot at its place. Returns how many were there before. */
static unsigned take_place(struct cup_swarm *swarm, double x, double y)
{
    const struct cup_box *area = &swarm->figure->area;
    double column = floor((cup_x(swarm->figure, x) - area->left) / place_size(swarm));
    double row = floor((cup_y(swarm->figure, y) - area->top) / place_size(swarm));
    if (!swarm->taken || !(column >= 0 && column < (double)swarm->columns) ||
        !(row >= 0 && row < (double)swarm->rows))
        return 0;
    unsigned char *taken = &swarm->taken[(size_t)row * swarm->columns + (size_t)column];
    return *taken < UCHAR_MAX ? (*taken)++ : UCHAR_MAX;
}

/* How far a dot is moved: 0, then right, left, further right, ... */
static double sideways(const struct cup_swarm *swarm, unsigned before)
{
    double steps = (before + 1) / 2 % (SIDEWAYS + 1);
    return (before % 2 ? steps : -steps) * place_size(swarm);
}

void cup_swarm_dot(struct cup_swarm *swarm, double x, double y, struct cup_colour colour)
{
    double across = sideways(swarm, take_place(swarm, x, y));
    cup_mark_dot_beside(swarm->figure, x, y, across, colour, swarm->opacity);
}

void cup_swarm_end(struct cup_swarm *swarm)
{
    free(swarm->taken);
}

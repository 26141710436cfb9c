/* A few quantities over time, on one axis. */
#ifndef CUPPING_PLOT_SHARED_CURVES_H
#define CUPPING_PLOT_SHARED_CURVES_H

#include "plot/figure/theme.h"
#include "plot/figure/ticks.h"
#include "plot/shared/plot.h"

enum { CUP_CURVES = 6 };

enum cup_curve_kind {
    CUP_CURVE_LINE,
    CUP_CURVE_STEPS, /* each value holds until the next one, filled down to the axis */
    CUP_CURVE_BAND,  /* from `low` to `values` */
    CUP_CURVE_LEVEL, /* a horizontal line at values[0] */
};

struct cup_curve {
    const char *name; /* in the legend */
    enum cup_paint paint;
    enum cup_curve_kind kind;
    const double *time_s, *low, *values; /* in the arena; NAN: not known */
    size_t count;
};

struct cup_curves {
    const char *name; /* of the axis */
    enum cup_axis_unit unit;
    bool bits; /* adds an axis in bit/s at the right, for a byte rate */
    struct cup_curve curves[CUP_CURVES];
    size_t count;
    double most, seconds;
};

/* Adds a curve and raises `most` to its largest value. Curves after CUP_CURVES are dropped. */
void cup_curves_add(struct cup_curves *curves, struct cup_curve curve);

#endif

/* A few quantities over time, on one axis, or on one at each side. */
#pragma once

#include "plot/figure/theme.h"
#include "plot/figure/ticks.h"
#include "plot/shared/time_bins.h"

enum { CUP_CURVES = 6, CUP_CURVE_LAYERS = 3 };

enum cup_curve_kind {
    CUP_CURVE_LINE,
    CUP_CURVE_STEPS,  /* each value holds until the next one */
    CUP_CURVE_DASHES, /* dashed steps */
    CUP_CURVE_FILLED, /* steps, filled down to the axis */
    CUP_CURVE_BAND,   /* from `low` to `values` */
    CUP_CURVE_LEVEL,  /* a horizontal line at values[0] */
    CUP_CURVE_NOTE,   /* no values, only its name in the legend */
};

struct cup_curve {
    const char *name; /* in the legend; NULL: not in the legend */
    enum cup_paint paint;
    enum cup_curve_kind kind;
    const double *time_s, *low, *values; /* in the arena; NAN: not known */
    size_t count;
    bool right;      /* values belong to the right axis */
    unsigned behind; /* layers in front of it, below CUP_CURVE_LAYERS: they are drawn over it */
};

struct cup_curves {
    const char *name; /* of the axis */
    enum cup_axis_unit unit;
    bool bits;              /* adds an axis in bit/s at the right, for a byte rate */
    bool whole;             /* the axis ends at 100, unless a value is larger */
    bool coloured;          /* the axes have the colours of their first curves */
    const char *right_name; /* of the right axis; NULL: there is none */
    double right_share;     /* the right axis has the values of the left one divided by this; 0: it
                               has a range of its own */
    enum cup_axis_unit right_unit;
    struct cup_curve curves[CUP_CURVES];
    size_t count;
    double most, right_most, seconds;
    double level; /* the values of a CUP_CURVE_LEVEL may be here */
};

/* Adds a curve and raises the `most` of its axis to its largest value. Curves after CUP_CURVES are
 * dropped. */
void cup_curves_add(struct cup_curves *curves, struct cup_curve curve);

/* A curve through the points of a line, which it does not copy. */
struct cup_curve cup_curve_of(const char *name, enum cup_paint paint, enum cup_curve_kind kind,
                              const struct cup_time_line *line);

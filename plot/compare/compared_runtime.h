/* The distributions of chunk times in several runs. */
#ifndef CUPPING_PLOT_COMPARE_COMPARED_RUNTIME_H
#define CUPPING_PLOT_COMPARE_COMPARED_RUNTIME_H

#include "analysis/compare/compare.h"
#include "plot/shared/plot.h"

struct cup_compared_runtime {
    const char *name;                                   /* of the axis of times */
    const struct cup_spread *spreads[CUP_COMPARE_MOST]; /* each of at least one chunk */
    struct cup_text names[CUP_COMPARE_MOST];
    size_t count;
    double low_s, high_s;
};

#endif

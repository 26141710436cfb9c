#ifndef CUPPING_PLOT_SHARED_SAMPLED_H
#define CUPPING_PLOT_SHARED_SAMPLED_H

#include "plot/figure/ticks.h"
#include "plot/shared/time_bins.h"

/* What samples say of the workers over time: the mean of all workers with the least and the
 * largest, or their sum. */
struct cup_sampled {
    const char *name; /* of the axis */
    enum cup_axis_unit unit;
    bool sum;
    double time_s[CUP_TIME_BINS + 1];                 /* of steps: the beginnings, and the end */
    double middle[CUP_TIME_BINS + 1];                 /* mean, or sum; NAN: no sample in the bin */
    double least[CUP_TIME_BINS], most[CUP_TIME_BINS]; /* of means */
    const double *threads; /* that there were, beside a number of tasks; NULL: not shown */
    size_t count;
    double highest, seconds, bin_s;
};

/* Of the run's samples: the mean of all workers, or, if SUM, all of them together. NULL, as of what
 * makes a plot's data. */
struct cup_quantity;
const struct cup_sampled *cup_sampled_make(struct cup_plot_input *input,
                                           const struct cup_quantity *quantity, bool sum);

#endif

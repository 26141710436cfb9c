#ifndef CUPPING_PER_WORKER_H
#define CUPPING_PER_WORKER_H

#include "plot/time_bins.h"

/* More workers than CUP_WORKER_LINES are rows of a heat map; neighbours share one where there are
 * many, and up to CUP_WORKER_NAMES have their names beside them. */
enum { CUP_WORKER_LINES = 8, CUP_WORKER_NAMES = 32, CUP_WORKER_ROWS = 200 };

struct cup_per_worker {
    const char *name;                          /* of the axis; all are percent */
    struct cup_text workers[CUP_WORKER_NAMES]; /* the first ones */
    size_t worker_count;
    bool heat;      /* a heat map, however few they are: lines would lie on each other */
    double *values; /* row_count by bin_count; NAN: not known */
    size_t row_count, bin_count;
    double time_s[CUP_TIME_BINS]; /* the middle of each bin */
    double highest, seconds, bin_s;
};

/* Activity by Dask's samples, for where no worker left a log. As what makes a plot's data. */
const void *cup_activity_by_samples(struct cup_plot_input *input);

#endif

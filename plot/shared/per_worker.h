#ifndef CUPPING_PLOT_SHARED_PER_WORKER_H
#define CUPPING_PLOT_SHARED_PER_WORKER_H

#include "plot/shared/time_bins.h"

/* More workers than CUP_WORKER_LINES are rows of a heat map; neighbours share one where there are
 * many, and up to CUP_WORKER_NAMES have their names beside them. */
enum { CUP_WORKER_LINES = 8, CUP_WORKER_NAMES = 32, CUP_WORKER_ROWS = 200 };

struct cup_per_worker {
    const char *name;                          /* of the axis; all are percent */
    struct cup_text workers[CUP_WORKER_NAMES]; /* the first ones */
    size_t worker_count;
    bool heat;      /* a heat map, however few they are: lines would lie on each other */
    double *values; /* row_count by bin_count, from the top: cup_worker_row(); NAN: not known */
    size_t row_count, bin_count;
    double time_s[CUP_TIME_BINS]; /* the middle of each bin */
    double highest, seconds, bin_s;
};

static inline bool cup_workers_have_names(const struct cup_per_worker *plot)
{
    return plot->row_count == plot->worker_count && plot->worker_count <= CUP_WORKER_NAMES;
}

/* Where the n-th row is, from the top: the first one where names begin, or where an axis has its 0.
 */
static inline size_t cup_worker_row(const struct cup_per_worker *plot, size_t n)
{
    return cup_workers_have_names(plot) ? n : plot->row_count - 1 - n;
}

/* Activity by Dask's samples, for where no worker left a log. As what makes a plot's data. */
const void *cup_activity_by_samples(struct cup_plot_input *input);

#endif

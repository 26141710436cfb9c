#ifndef CUPPING_PLOT_SHARED_PER_WORKER_H
#define CUPPING_PLOT_SHARED_PER_WORKER_H

#include "plot/shared/time_bins.h"

/* More workers than CUP_WORKER_LINES are rows of a heat map instead of lines. Up to
 * CUP_WORKER_NAMES rows have names. If there are more than CUP_WORKER_ROWS workers, neighbours
 * share a row. */
enum { CUP_WORKER_LINES = 8, CUP_WORKER_NAMES = 32, CUP_WORKER_ROWS = 200 };

struct cup_per_worker {
    const char *name;                          /* of the axis, which is in percent */
    struct cup_text workers[CUP_WORKER_NAMES]; /* names of the first ones */
    size_t worker_count;
    bool heat;      /* draw a heat map, not lines */
    double *values; /* row_count by bin_count, from the top: cup_worker_row(); NAN: not known */
    size_t row_count, bin_count;
    double time_s[CUP_TIME_BINS]; /* the middle of each bin */
    double highest, seconds, bin_s;
};

static inline bool cup_workers_have_names(const struct cup_per_worker *plot)
{
    return plot->row_count == plot->worker_count && plot->worker_count <= CUP_WORKER_NAMES;
}

/* The place of the n-th row from the top. Rows with names begin at the top, rows with a numeric
 * axis at the bottom. */
static inline size_t cup_worker_row(const struct cup_per_worker *plot, size_t n)
{
    return cup_workers_have_names(plot) ? n : plot->row_count - 1 - n;
}

/* Makes the data of worker-activity from Dask's samples, if no worker left a log. Returns as
 * cup_data functions do. */
const void *cup_activity_by_samples(struct cup_plot_input *input);

#endif

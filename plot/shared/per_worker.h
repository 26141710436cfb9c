#pragma once

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
    double *values; /* row_count by bin_count, row by row from the top; NAN: not known */
    size_t row_count, bin_count;
    double time_s[CUP_TIME_BINS]; /* the middle of each bin */
    double highest, seconds, bin_s;
};

static inline bool cup_workers_have_names(const struct cup_per_worker *plot)
{
    return plot->row_count == plot->worker_count && plot->worker_count <= CUP_WORKER_NAMES;
}

/* The row of `values` for the n-th row of workers. Workers with names are listed from the top down.
 * A numeric axis counts from the bottom up, so there the first workers are at the bottom. */
static inline size_t cup_worker_row(const struct cup_per_worker *plot, size_t n)
{
    return cup_workers_have_names(plot) ? n : plot->row_count - 1 - n;
}

/* Makes the data of worker-activity from Dask's samples, for runs where no worker left a log.
 * Returns NULL like plot->make. */
const void *cup_activity_by_samples(struct cup_plot_input *input);

/* A number that is calculated from a worker's sample. */
#pragma once

#include "plot/figure/ticks.h"
#include "plot/shared/time_bins.h"

struct cup_quantity {
    const char *name; /* of an axis */
    enum cup_axis_unit unit;
    enum cup_seen_value part, whole; /* the value `part`, or its percentage of `whole` */
    bool share;                      /* the percentage */
    const char *of;                  /* a sentence for captions that explains it */
};
extern const struct cup_quantity cup_memory_share, cup_cpu_share, cup_busy_share; /* percent */

/* NAN: not known. */
double cup_quantity_value(const struct cup_quantity *quantity, const struct cup_sample_row *row);

/* Returns false and sets input->reason if there are no samples to make bins of. */
bool cup_has_samples(struct cup_plot_input *input, const struct cup_time_bins *time);

/* Makes time bins at least as long as the sampling interval: of shorter bins, some would have no
 * sample. */
void cup_sample_bins_make(struct cup_time_bins *time, const struct cup_totals *totals);

/* A quantity of the workers' samples over time: the mean of all workers with the range from the
 * least to the largest, or the sum. */
struct cup_sampled {
    bool sum;
    double time_s[CUP_TIME_BINS + 1]; /* of steps: beginnings of the bins, and the end */
    double middle[CUP_TIME_BINS + 1]; /* mean, or sum; NAN: no sample in the bin */
    double least[CUP_TIME_BINS], most[CUP_TIME_BINS]; /* range of the workers, with a mean */
    size_t count;
    double highest, seconds, bin_s;
};

/* Makes it from the run's samples: the mean of all workers or, with `sum`, their sum. Returns NULL
 * like plot->make. */
struct cup_sampled *cup_sampled_make(struct cup_plot_input *input,
                                     const struct cup_quantity *quantity, bool sum);

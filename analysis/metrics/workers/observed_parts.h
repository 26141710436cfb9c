/* The parts that observed.c is made of. Both return 0, or -1 without memory. */
#ifndef CUPPING_ANALYSIS_METRICS_WORKERS_OBSERVED_PARTS_H
#define CUPPING_ANALYSIS_METRICS_WORKERS_OBSERVED_PARTS_H

#include "analysis/metrics/workers/observed.h"

/* The next moment, in the order of time. NAN: not known. */
int cup_observed_add_moment(struct cup_observed *observed, int64_t time_ns, double workers,
                            double threads);

/* The number of workers and sums over them, if they were sampled at different times. */
int cup_observed_settle_apart(struct cup_observed *observed);

/* Adds the workers' own samples. */
int cup_observed_see_own(struct cup_observed *observed);

/* NULL if there is none. */
struct cup_observed_worker *cup_observed_of_address(const struct cup_observed *observed,
                                                    struct cup_text address);

#endif

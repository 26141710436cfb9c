/* Functions that the files observed*.c share. Those that return int return 0, or -1 without memory.
 */
#pragma once

#include "analysis/metrics/workers/observed.h"

/* Adds how many workers and threads there were at a time. Times must ascend. NAN: not known. */
int cup_observed_add_moment(struct cup_observed *observed, int64_t time_ns, double workers,
                            double threads);

/* If workers were sampled at different times: makes the number of workers over time, and the sums
 * over workers. */
int cup_observed_sum_apart(struct cup_observed *observed);

/* Adds the samples that the workers took of themselves. */
int cup_observed_add_own(struct cup_observed *observed);

/* The worker of that address, within the window or not; NULL if there is none. */
struct cup_observed_worker *cup_observed_of_address(const struct cup_observed *observed,
                                                    struct cup_text address);

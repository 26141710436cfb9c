/* When the run ended: at the last task's stop, or later, where tasks that never ended held their
 * threads until the last sign of their process. */
#ifndef CUPPING_ANALYSIS_METRICS_SUMS_RUN_END_H
#define CUPPING_ANALYSIS_METRICS_SUMS_RUN_END_H

#include "analysis/profile/profile.h"

/* The last sign of the processes in which some task of the pool never ended and no later one ran on
 * its thread; 0: there is none. Where records were lost, an end may be among them: such processes
 * are passed by. Returns 0, or -1 without memory. */
int cup_run_end_of_unfinished(const struct cup_profile *profile, int64_t *end_ns);

#endif

/* When the run ended: when the last task stopped; or later, if a task never ended and held its
 * thread until the last sign of its process. */
#ifndef CUPPING_ANALYSIS_METRICS_SUMS_RUN_END_H
#define CUPPING_ANALYSIS_METRICS_SUMS_RUN_END_H

#include "analysis/profile/profile.h"

/* Sets *end_ns to the latest last sign of a process in which a task of the pool never ended and no
 * later task ran on its thread; 0: there is none. Processes that lost records are ignored, because
 * the end of that task may be among these. Returns 0, or -1 without memory. */
int cup_run_end_of_unfinished(const struct cup_profile *profile, int64_t *end_ns);

#endif

/* Which of several attempts at a chunk is the one whose result was used. */
#ifndef CUPPING_ANALYSIS_METRICS_SUMS_ATTEMPTS_H
#define CUPPING_ANALYSIS_METRICS_SUMS_ATTEMPTS_H

#include "analysis/metrics/sums/sums.h"

/* Sets totals->outcomes and totals->retried_chunks. Returns 0, or -1 without memory. */
int cup_attempts_settle(struct cup_totals *totals);

#endif

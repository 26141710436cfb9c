/* What there is many of - task prefixes, workers, datasets - as series of Prometheus. */
#ifndef CUPPING_ANALYSIS_EXPORT_PROMETHEUS_ROWS_H
#define CUPPING_ANALYSIS_EXPORT_PROMETHEUS_ROWS_H

#include "analysis/metrics/totals.h"
#include "analysis/write/exposition.h"

/* Of each kind so many have series of their own, those with the most task time first (datasets: the
 * most events); the rest is summed up in one whose label is CUP_PROMETHEUS_REST. */
enum { CUP_PROMETHEUS_MOST = 50 };
#define CUP_PROMETHEUS_REST "(others)"

/* Returns 0, or -1 without memory. */
int cup_prometheus_rows(const struct cup_totals *totals, struct cup_exposition *exposition);

#endif

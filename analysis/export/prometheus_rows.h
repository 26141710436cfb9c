/* Task prefixes, workers, datasets and servers as series of Prometheus. */
#ifndef CUPPING_ANALYSIS_EXPORT_PROMETHEUS_ROWS_H
#define CUPPING_ANALYSIS_EXPORT_PROMETHEUS_ROWS_H

#include "analysis/metrics/totals.h"
#include "analysis/write/exposition.h"

/* At most so many of each kind have their own series: those with the most task time (datasets:
 * events). The others are added up under the label CUP_PROMETHEUS_REST. */
enum { CUP_PROMETHEUS_MOST = 50 };
#define CUP_PROMETHEUS_REST "(others)"

/* Returns 0, or -1 without memory. */
int cup_prometheus_rows(const struct cup_totals *totals, struct cup_exposition *exposition);

#endif

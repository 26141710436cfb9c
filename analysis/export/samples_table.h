/* Dask's own state as rows: one for each worker and sample. */
#ifndef CUPPING_ANALYSIS_EXPORT_SAMPLES_TABLE_H
#define CUPPING_ANALYSIS_EXPORT_SAMPLES_TABLE_H

#include "analysis/export/export_directory.h"

/* Writes it as CSV. The names are those of the log's values, with `_s` where the log has `_ns`;
 * what a worker reported itself begins with `heartbeat_`, times of day are seconds since the epoch.
 * `by` says who took the sample: "scheduler", or "worker" of itself. Only samples of the run.
 * Returns 0, or -1 without memory. */
int cup_samples_csv(const struct cup_totals *totals, const struct cup_output *output);

#endif

/* Rates over time from the time series of the processes: when bytes were read and threads waited,
 * in all tasks together. */
#ifndef CUPPING_PLOT_SHARED_RATES_H
#define CUPPING_PLOT_SHARED_RATES_H

#include "plot/shared/time_bins.h"

/* Sums one row of the series over the run's workers. Returns how many processes have a series. */
size_t cup_series_make(struct cup_time_bins *bins, const struct cup_totals *totals,
                       enum cup_series_row row);

/* Bytes from sockets to tasks (not Dask's own connections), spread over the time of each task: the
 * logs do not have the time of each read. */
void cup_received_make(struct cup_time_bins *bins, const struct cup_totals *totals);

/* Bytes that files and sockets delivered to a task. */
uint64_t cup_delivered(const struct cup_profile *profile, uint32_t task);

/* Why a plot of accesses has no data: the reason for cup_plot_unavailable(). */
const char *cup_no_accesses_reason(const struct cup_profile *profile);

#endif

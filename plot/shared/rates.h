/* What the processes' own time series say: when bytes were read and threads waited, whichever task
 * it was for. */
#ifndef CUPPING_PLOT_SHARED_RATES_H
#define CUPPING_PLOT_SHARED_RATES_H

#include "plot/shared/time_bins.h"

/* One row of the series of the run's workers; returns how many processes have one. */
size_t cup_series_make(struct cup_time_bins *bins, const struct cup_totals *totals,
                       enum cup_series_row row);

/* What sockets delivered to tasks (Dask's own apart), each task's spread over its time: when they
 * did is not in the logs. */
void cup_received_make(struct cup_time_bins *bins, const struct cup_totals *totals);

/* Bytes that files and sockets delivered to a task. */
uint64_t cup_delivered(const struct cup_profile *profile, uint32_t task);

/* Why a plot of accesses has no data: the reason for cup_plot_unavailable(). */
const char *cup_no_accesses_reason(const struct cup_profile *profile);

#endif

/* What the processes' own time series say: when bytes were read and threads waited, whichever task
 * it was for. */
#ifndef CUPPING_RATES_H
#define CUPPING_RATES_H

#include "plot/time_bins.h"

/* One row of the series of the run's workers; returns how many processes have one. */
size_t cup_series_make(struct cup_time_bins *bins, const struct cup_totals *totals,
                       enum cup_series_row row);

#endif

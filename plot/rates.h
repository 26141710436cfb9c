/* What the processes' own time series say: bytes over the time in which they were read, whichever
 * task they were for. */
#ifndef CUPPING_RATES_H
#define CUPPING_RATES_H

#include "plot/time_bins.h"

/* Data files read by the run's workers; returns how many of them have a series. */
size_t cup_read_bytes_make(struct cup_time_bins *bins, const struct cup_totals *totals);

#endif

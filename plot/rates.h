/* What the processes' own time series say: bytes over the time in which they were read, whichever
 * task they were for. */
#ifndef CUPPING_RATES_H
#define CUPPING_RATES_H

#include "plot/plots.h"

enum { CUP_RATE_BINS = 240 };

struct cup_rates {
    int64_t start_ns; /* of the first bin */
    double bin_s;
    size_t count;
    double bytes[CUP_RATE_BINS]; /* data files read, in each */
    double whole;                /* in all */
    size_t processes;            /* with a series */
};

/* Over the run, from the logs of its workers. */
void cup_rates_make(struct cup_rates *rates, const struct cup_totals *totals);

#endif

#ifndef CUPPING_PLOT_TIME_RAMP_SHOWN_H
#define CUPPING_PLOT_TIME_RAMP_SHOWN_H

#include "analysis/compare/ramp.h"
#include "plot/shared/plot.h"

/* Rate, and rate per thread, at each number of busy threads. */
struct cup_ramp_shown {
    double busy[CUP_RAMP_STEPS], rate[CUP_RAMP_STEPS], per_thread[CUP_RAMP_STEPS];
    size_t count;
    double most_busy, most_rate, most_per_thread;
    bool by_events; /* else bytes */
};

#endif

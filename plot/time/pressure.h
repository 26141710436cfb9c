#ifndef CUPPING_PLOT_TIME_PRESSURE_H
#define CUPPING_PLOT_TIME_PRESSURE_H

#include "plot/shared/time_bins.h"

/* How many threads were waiting at the same time, on average in each bin. */
struct cup_pressure {
    struct cup_time_line gil, io;
    double most, seconds;
    double threads; /* task threads of all workers; 0: not shown, because far fewer wait */
};

#endif

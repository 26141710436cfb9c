#ifndef CUPPING_PLOT_TIME_PRESSURE_H
#define CUPPING_PLOT_TIME_PRESSURE_H

#include "plot/shared/time_bins.h"

/* Threads that did something at the same time, on average. */
struct cup_pressure {
    struct cup_time_line gil, io;
    double most, seconds;
    double
        threads; /* for tasks, of all workers; 0: so many more than wait that they are not shown */
};

#endif

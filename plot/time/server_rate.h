#ifndef CUPPING_PLOT_TIME_SERVER_RATE_H
#define CUPPING_PLOT_TIME_SERVER_RATE_H

#include "plot/shared/time_bins.h"

enum { CUP_SERVERS_SHOWN = 6 }; /* if there are more, the last one stands for all others */

/* The data rate of each server over time, stacked. */
struct cup_server_rate {
    double seconds, most; /* most: of the sum */
    size_t count;
    bool others; /* the last one stands for several */
    char names[CUP_SERVERS_SHOWN][80];
    const struct cup_time_line *rates[CUP_SERVERS_SHOWN]; /* from the bottom; in the arena */
    const struct cup_time_line *sum;
};

#endif

#ifndef CUPPING_PLOT_TIME_WORKER_COUNT_H
#define CUPPING_PLOT_TIME_WORKER_COUNT_H

#include "plot/shared/rates.h"

struct cup_worker_count {
    double *time_s, *workers, *threads; /* threads NAN: not known */
    size_t count;
    double most, seconds;
    bool with_threads;         /* their number differs from that of the workers */
    struct cup_time_line rate; /* bytes per second; count 0: nothing was read */
};

#endif

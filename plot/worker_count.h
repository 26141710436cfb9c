#ifndef CUPPING_WORKER_COUNT_H
#define CUPPING_WORKER_COUNT_H

#include "plot/rates.h"

struct cup_worker_count {
    double *time_s, *workers, *threads; /* threads NAN: not known */
    size_t count;
    double most, seconds;
    bool with_threads;                /* other than workers */
    double rate_s[CUP_RATE_BINS + 1]; /* when the bins begin, and the last one ends */
    double rates[CUP_RATE_BINS + 1];  /* bytes per second */
    size_t rate_count;
    double most_rate;
};

#endif

#ifndef CUPPING_PLOT_TIME_EVENT_RATE_H
#define CUPPING_PLOT_TIME_EVENT_RATE_H

#include "plot/shared/time_bins.h"

struct cup_event_rate {
    struct cup_time_line rate;     /* events per second */
    struct cup_time_line per_busy; /* per second and busy thread; NAN: hardly any thread was busy */
    double seconds;
};

/* The share of the events that was done by each point in time. */
enum { CUP_PROGRESS_POINTS = 1000 };
struct cup_progress {
    double time_s[CUP_PROGRESS_POINTS + 2], percent[CUP_PROGRESS_POINTS + 2];
    size_t count;
    double t50_s, t90_s, t99_s, seconds;
    bool by_events; /* else by chunks */
};

#endif

#ifndef CUPPING_PLOT_TASKS_RUNTIME_EVENTS_H
#define CUPPING_PLOT_TASKS_RUNTIME_EVENTS_H

#include "plot/shared/chunks.h"
#include "plot/shared/density.h"

enum { CUP_NAMED = 3 };

struct cup_outlier {
    double events, wall_s;
    char name[128]; /* name of its file, and its events */
};

struct cup_runtime_events {
    struct cup_chunk_points chunks;
    double most_events, most_s;
    double top_events, top_s; /* highest values of the axes */
    bool fitted;
    bool with_median;                     /* offset_s is the median, drawn in place of a fit */
    const char *doubt;                    /* why there is no fit; NULL: fitted. Not owned */
    double offset_s, slope_s;             /* offset + slope * events */
    double offset_error_s, slope_error_s; /* standard errors; NAN: not known */
    struct cup_outlier outliers[CUP_NAMED];
    size_t outlier_count;
    struct cup_density density;
};

#endif

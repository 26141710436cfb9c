#ifndef CUPPING_PLOT_TASKS_PREFIX_TIMES_H
#define CUPPING_PLOT_TASKS_PREFIX_TIMES_H

#include "plot/shared/waits_shown.h"

enum { CUP_PREFIXES_SHOWN = 12 };

/* Seconds, summed over all tasks of a prefix. */
struct cup_prefix_times {
    struct {
        double parts[CUP_SHOWN_COUNT];
        double unexplained; /* off the CPU for an unknown reason */
        double whole;
        uint64_t tasks;
    } rows[CUP_PREFIXES_SHOWN];
    struct cup_text names[CUP_PREFIXES_SHOWN];
    size_t count;
    double longest;
};

#endif

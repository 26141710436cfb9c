/* The parts of a task's time, for plots that have room for a few parts only. */
#ifndef CUPPING_PLOT_SHARED_WAITS_SHOWN_H
#define CUPPING_PLOT_SHARED_WAITS_SHOWN_H

#include "plot/shared/plot.h"

enum cup_shown {
    CUP_SHOWN_CPU,
    CUP_SHOWN_IO,
    CUP_SHOWN_GIL,
    CUP_SHOWN_NO_CORE,
    CUP_SHOWN_REST,
    CUP_SHOWN_COUNT
};

/* Calculates the shares of a task's wall time. They add up to 1, or are all 0 if they are not
 * known. The profile must have been loaded with counters. */
void cup_shown_shares(const struct cup_profile *profile, const struct cup_task *task,
                      double shares[CUP_SHOWN_COUNT]);

struct cup_shown_part {
    const char *name;
    enum cup_paint paint;
};
extern const struct cup_shown_part cup_shown_parts[CUP_SHOWN_COUNT];

#endif

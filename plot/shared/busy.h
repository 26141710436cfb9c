/* How many threads had a task over the run, by the tasks' own times. They are exact, where samples
 * show one moment of each interval. */
#pragma once

#include "plot/shared/time_bins.h"

/* Seconds of threads with a task, and seconds for which the threads existed, by bin. */
struct cup_busy {
    struct cup_time_bins tasks, threads;
};

/* Makes empty bins. */
void cup_busy_start(struct cup_busy *busy, const struct cup_totals *totals);

/* Adds the tasks and the threads of a process. */
void cup_busy_add(struct cup_busy *busy, const struct cup_totals *totals, uint32_t process);

/* Makes it of all processes, in the arena. NULL without memory, if the run has no duration, or if a
 * worker left no log. */
const struct cup_busy *cup_busy_make(struct cup_plot_input *input);

/* Share of the threads that existed in a bin, percent; NAN if fewer than 5 % of THREADS existed. */
double cup_busy_percent(const struct cup_busy *busy, size_t bin, double threads);

#ifndef CUPPING_PLOT_TASKS_TASK_BYTES_H
#define CUPPING_PLOT_TASKS_TASK_BYTES_H

#include "plot/shared/bins.h"
#include "plot/shared/plot.h"

/* Groups of tasks: the prefixes with the most bytes; the last group holds all others if there are
 * more. */
enum { CUP_TASK_BYTES_GROUPS = 6 };

/* Histogram of the bytes that tasks read, stacked by prefix. */
struct cup_task_bytes {
    struct cup_bins bins;                  /* of all */
    double *counts[CUP_TASK_BYTES_GROUPS]; /* of each group, in those bins */
    struct cup_text names[CUP_TASK_BYTES_GROUPS];
    size_t group_count;
    double median; /* bytes */
};

#endif

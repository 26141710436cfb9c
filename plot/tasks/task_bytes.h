#ifndef CUPPING_PLOT_TASKS_TASK_BYTES_H
#define CUPPING_PLOT_TASKS_TASK_BYTES_H

#include "plot/shared/bins.h"
#include "plot/shared/plot.h"

/* Prefixes in the order of their bytes; beyond these, the others together. */
enum { CUP_TASK_BYTES_GROUPS = 6 };

/* Of tasks that read anything, stacked by prefix. */
struct cup_task_bytes {
    struct cup_bins bins;                  /* of all */
    double *counts[CUP_TASK_BYTES_GROUPS]; /* in those bins */
    struct cup_text names[CUP_TASK_BYTES_GROUPS];
    size_t group_count;
    double median; /* bytes */
};

#endif

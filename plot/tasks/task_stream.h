#ifndef CUPPING_PLOT_TASKS_TASK_STREAM_H
#define CUPPING_PLOT_TASKS_TASK_STREAM_H

#include "plot/shared/time_bins.h"
#include "plot/shared/waits_shown.h"

/* More lanes than CUP_LANES_MOST, or more tasks than CUP_STREAM_TASKS, are drawn as a density. */
enum { CUP_LANES_MOST = 64, CUP_STREAM_TASKS = 4000, CUP_STREAM_ROWS = 200, CUP_STREAM_GROUPS = 4 };

struct cup_stream_task {
    double from_s, to_s;
    uint16_t lane, group;
    bool failed;
    double shares[CUP_SHOWN_COUNT]; /* of its wall time; all 0: not known */
};

/* One lane for each thread that ran tasks, in the order of hosts, processes and threads. */
struct cup_task_stream {
    double seconds;
    size_t lane_count;
    struct cup_text *lanes; /* their names; NULL with a density */
    struct cup_text groups[CUP_STREAM_GROUPS];
    size_t group_count;
    struct cup_stream_task *tasks;
    size_t task_count, failed_count;
    double *density; /* busy share of row_count by CUP_TIME_BINS; NULL: tasks */
    size_t row_count;
};

#endif

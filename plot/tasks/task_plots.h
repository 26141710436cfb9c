/* Data of the plots of tasks and chunks. */
#pragma once

#include "analysis/base/statistics.h"
#include "plot/shared/bins.h"
#include "plot/shared/chunks.h"
#include "plot/shared/density.h"
#include "plot/shared/plot.h"
#include "plot/shared/rows.h"
#include "plot/shared/time_bins.h"

/* The parts of a task's time, for plots that have room for a few parts only. */
enum cup_shown {
    CUP_SHOWN_CPU,
    CUP_SHOWN_IO,
    CUP_SHOWN_GIL,
    CUP_SHOWN_NO_CORE,
    CUP_SHOWN_REST,
    CUP_SHOWN_COUNT
};

extern const struct cup_bar_kind cup_shown_parts[CUP_SHOWN_COUNT];

struct cup_chunk_runtime {
    struct cup_bins times;
    double median_s, p90_s, p99_s;
};

struct cup_peak_memory {
    struct cup_chunk_points chunks;
    double *bytes;               /* of each chunk; NAN: not known */
    struct cup_range across, up; /* of the axes; the limit is within */
    struct cup_density density;
    bool fitted;
    double mean_events, bytes_at_mean, slope; /* robust line */
    char far_above[64]; /* legend text for a limit too high to be drawn; empty: none */
    double limit;       /* of a chunk's heap, bytes; 0: not known, or too high to be drawn */
};

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

enum { CUP_NAMED = 3 };

struct cup_outlier {
    double events, wall_s;
    char name[128]; /* name of its file, and its events */
};

struct cup_runtime_events {
    struct cup_chunk_points chunks;
    double most_events, most_s;
    struct cup_range across, up; /* of the axes */
    bool fitted;
    bool with_median;                     /* offset_s is the median, drawn in place of a fit */
    const char *doubt;                    /* why there is no fit; NULL: fitted. Not owned */
    double offset_s, slope_s;             /* offset + slope * events */
    double offset_error_s, slope_error_s; /* standard errors; NAN: not known */
    struct cup_outlier outliers[CUP_NAMED];
    size_t outlier_count;
    struct cup_density density;
};

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
    double seconds; /* the axis: the whole run, because time before the first task is idle, too */
    size_t lane_count;
    struct cup_text *lanes; /* their names; NULL with a density */
    struct cup_text groups[CUP_STREAM_GROUPS];
    size_t group_count;
    struct cup_stream_task *tasks;
    size_t task_count, failed_count;
    double *density; /* busy share of row_count by CUP_TIME_BINS; NULL: tasks */
    size_t row_count;
};

/* Data of the plots over time. */
#pragma once

#include "analysis/compare/ramp.h"
#include "analysis/metrics/sums/budget.h"
#include "plot/shared/plot.h"
#include "plot/shared/time_bins.h"

/* The share of the events that was done by each point in time. */
enum { CUP_PROGRESS_POINTS = 1000, CUP_PROGRESS_MARKS = 3 };
struct cup_progress {
    double time_s[CUP_PROGRESS_POINTS + 2], percent[CUP_PROGRESS_POINTS + 2];
    size_t count;
    double reached_s[CUP_PROGRESS_MARKS]; /* 50, 90 and 99 %; NAN: not reached */
    double from_s, seconds;               /* the axis */
    bool by_events;                       /* else by chunks */
    char end[32]; /* "aborted at 31 %"; "": the run is complete, or that is not known */
};

/* Rate, and rate per thread, at each number of busy threads. */
struct cup_ramp_shown {
    double busy[CUP_RAMP_STEPS], rate[CUP_RAMP_STEPS], per_thread[CUP_RAMP_STEPS];
    size_t count;
    double most_busy, most_rate, most_per_thread;
    bool by_events; /* else bytes */
};

enum { CUP_SERVERS_SHOWN = 6 }; /* if there are more, the last one stands for all others */

/* The data rate of each server over time, stacked. */
struct cup_server_rate {
    double seconds;
    size_t count;
    bool others;  /* the last one stands for several */
    size_t local; /* the one that stands for files not from a server, + 1; 0: none */
    char names[CUP_SERVERS_SHOWN][80];
    const struct cup_time_line *rates[CUP_SERVERS_SHOWN]; /* from the bottom; in the arena */
    const struct cup_time_line *sum;
};

/* Each part begins where the one before it ends; together they are the whole time of the threads.
 */
struct cup_time_budget {
    struct {
        enum cup_budget_part part; /* unused in the first row, which is the whole time */
        double from, to;           /* percent */
        double seconds;
    } rows[CUP_BUDGET_COUNT + 1];
    struct cup_text names[CUP_BUDGET_COUNT + 1];
    size_t count;
};

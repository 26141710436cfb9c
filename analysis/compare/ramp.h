/* How the rate per thread of one run depends on the number of threads that were busy at the same
 * time. Workers that join one by one, and the end of the run, give different numbers of busy
 * threads.
 *
 * The time from the first chunk's start to the last one's stop is cut into bins. In each, the busy
 * threads are the time of all tasks of the pool in it, over its width. Events and bytes of a chunk
 * whose result was used are spread evenly over its task's time (opening the file included, or the
 * first bins of a run that starts all at once would have busy threads and no events). Bins with
 * nearly the same number of busy threads make a step. */
#pragma once

#include <stdbool.h>

#include "analysis/metrics/totals.h"

enum { CUP_RAMP_BINS = 100, CUP_RAMP_STEPS = 12 };

/* Minimum width of a bin: shorter bins would show single tasks. */
#define CUP_RAMP_LEAST_BIN_NS INT64_C(50000000)
/* Minimum duration of a step, as a share of the time from the first to the last chunk. */
#define CUP_RAMP_LEAST_SHARE 0.02
/* The bend: the most busy threads whose rate is at least this share of the best. */
#define CUP_RAMP_BEND 0.9

struct cup_ramp_step {
    unsigned bins;
    double seconds;
    double busy_s; /* busy threads x time, seconds */
    double events;
    double requested_bytes; /* by uproot, as Coffea reports */
    double read_bytes;      /* from data files */
    bool sustained;         /* it lasted at least CUP_RAMP_LEAST_SHARE */
};

struct cup_ramp {
    unsigned bins;
    double bin_s;
    struct cup_ramp_step steps[CUP_RAMP_STEPS]; /* with busy threads, fewest first */
    unsigned count;
    bool by_events;         /* true: events per second; false: bytes per second */
    const char *bytes_are;  /* "requested by uproot", "read from files"; NULL: not known */
    int best, bend, widest; /* indexes of steps; -1: none. widest: the sustained step with the most
                               busy threads */
    double rate_events, rate_requested,
        rate_read;       /* of the whole run, per second of wall time; 0: not known */
    const char *missing; /* why there are no steps; NULL: there are some */
};

struct cup_ramp cup_ramp_make(const struct cup_totals *totals);

/* Of a step: the average number of busy threads, events or bytes per second, and the same per busy
 * thread. 0 if the step is empty. */
double cup_ramp_busy(const struct cup_ramp_step *step);
double cup_ramp_rate(const struct cup_ramp *ramp, const struct cup_ramp_step *step);
double cup_ramp_rate_per_thread(const struct cup_ramp *ramp, const struct cup_ramp_step *step);

/* Bytes of a step: those requested by uproot if known, otherwise those read; see bytes_are. */
double cup_ramp_bytes(const struct cup_ramp *ramp, const struct cup_ramp_step *step);

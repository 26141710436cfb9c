/* The run cut into bins of time, and amounts spread over the time that they took. */
#pragma once

#include "plot/shared/plot.h"

enum { CUP_TIME_BINS = 240 };

struct cup_time_bins {
    int64_t start_ns; /* of the first one */
    double bin_s;     /* at least 0.1, the finest resolution of the library's series */
    double run_s;
    size_t count; /* 0: the run has no duration */
    double amounts[CUP_TIME_BINS];
    double whole;     /* sum of the amounts */
    double log_bin_s; /* set by cup_series_make(): the widest bin of a worker's log */
    bool too_wide;    /* set by cup_series_make() */
};

/* Makes empty bins over the run. */
void cup_time_bins_make(struct cup_time_bins *bins, const struct cup_totals *totals);

/* Spreads an amount evenly over the time from `from` to `to` (seconds since the first bin's start).
 * The part outside of the run is dropped. */
void cup_time_bins_spread(struct cup_time_bins *bins, double from, double to, double amount);

/* Spreads the amount `rate` times the time between two times (nanoseconds since the epoch). */
void cup_time_bins_hold(struct cup_time_bins *bins, int64_t start_ns, int64_t stop_ns, double rate);

/* The middle of a bin, seconds; if the run ends in the bin, of the part before that. */
double cup_time_bins_middle(const struct cup_time_bins *bins, size_t bin);

/* Merges adjacent bins, so that each lasts `least_s` or longer. */
void cup_time_bins_widen(struct cup_time_bins *bins, double least_s);

static inline double cup_time_bins_second(const struct cup_time_bins *bins, int64_t time_ns)
{
    return (double)(time_ns - bins->start_ns) / 1e9;
}

/* Where an axis of time begins whose first value is at `first_s`: 0, unless a quarter of the axis
 * would be empty. */
double cup_time_begin(double first_s, double seconds);

/* A sentence for captions if the axis begins later than the run, after a blank; else "". Returns
 * `to`. */
enum { CUP_TIME_BEGIN_TEXT = 96 };
char *cup_time_begin_text(char to[CUP_TIME_BEGIN_TEXT], double from_s);

/* The bins as a line in steps: amounts per second at the beginning of each bin and at the end of
 * the run. */
struct cup_time_line {
    double time_s[CUP_TIME_BINS + 1], values[CUP_TIME_BINS + 1];
    size_t count;
    double most;
};
void cup_time_line_make(struct cup_time_line *line, const struct cup_time_bins *bins);

/* The same in the arena. NULL without memory. */
const struct cup_time_line *cup_time_line_new(struct cup_arena *arena,
                                              const struct cup_time_bins *bins);

/* Rates over time from the time series of the processes: when bytes were read and threads waited,
 * in all tasks together. */

/* Sums one row of the series over the workers that were there during the run. The bins of a log
 * double with its age; those of the plot are no narrower than the widest of them. too_wide: they
 * are wider than a quarter of the run, so they say nothing about it. Returns how many processes
 * have a series. */
size_t cup_series_make(struct cup_time_bins *bins, const struct cup_totals *totals,
                       enum cup_series_row row);

/* The reason for cup_plot_unavailable() if bins are too wide. Returns `to`. */
enum { CUP_TOO_WIDE_TEXT = 160 };
char *cup_series_too_wide_reason(char to[CUP_TOO_WIDE_TEXT], const struct cup_time_bins *bins);

/* Bytes from sockets to tasks that are not in the series (of UNIX sockets, and all in logs of
 * version 3; not Dask's own connections), spread over the time of each task: the logs do not have
 * the time of each read. */
void cup_received_make(struct cup_time_bins *bins, const struct cup_totals *totals);

/* Bytes that files and sockets delivered to a task. */
uint64_t cup_delivered(const struct cup_profile *profile, uint32_t task);

/* Why a plot of accesses has no data: the reason for cup_plot_unavailable(). */
const char *cup_no_accesses_reason(const struct cup_profile *profile);

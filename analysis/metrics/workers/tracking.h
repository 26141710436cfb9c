/* Timelines of the workers during the run, for `tracking_data` of the JSON: the samples, thinned to
 * a bounded size. */
#pragma once

#include "analysis/metrics/workers/observed.h"

enum {
    CUP_TRACKED_COUNT = CUP_SEEN_SPILLED + 1
}; /* the values that have a name in CUP_SEEN_VALUES: up to SPILLED */

/* Rows in the report's JSON, which makes 200,000 points in ten timelines. */
enum { CUP_TRACKED_ROWS = 20000 };

struct cup_tracked_row {
    int64_t time_ns;
    double values[CUP_TRACKED_COUNT]; /* NAN: not known */
};

struct cup_tracking {
    uint64_t every;               /* every n-th sample is kept; 1: all */
    struct cup_tracked_row *rows; /* owned; by worker, then by time */
    size_t row_count;
    size_t *first; /* owned; for each of observed->workers the index of its first row; one more
                      entry is the end */
    struct cup_moment *moments; /* owned; how many workers there were over time */
    size_t moment_count;
};

/* Keeps at most about MOST rows: every n-th sample, the same ones for all workers, plus the first
 * and last of each worker. MOST 0: keeps all. Returns 0, or -1 without memory. */
int cup_tracking_make(struct cup_tracking *tracking, const struct cup_observed *observed,
                      size_t most);

void cup_tracking_free(struct cup_tracking *tracking);

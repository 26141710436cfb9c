/* Timelines of the workers during the run (tracking_data), thinned to a size that is bounded. */
#ifndef CUPPING_ANALYSIS_METRICS_WORKERS_TRACKING_H
#define CUPPING_ANALYSIS_METRICS_WORKERS_TRACKING_H

#include "analysis/metrics/workers/observed.h"

enum { CUP_TRACKED_COUNT = CUP_SEEN_SPILLED + 1 }; /* those with a name in CUP_SEEN_VALUES */

/* What the report's JSON holds: 200,000 points in ten timelines. */
enum { CUP_TRACKED_ROWS = 20000 };

struct cup_tracked_row {
    int64_t time_ns;
    double values[CUP_TRACKED_COUNT]; /* NAN: not known */
};

struct cup_tracking {
    uint64_t every;               /* one sample of so many is there; 1: all */
    struct cup_tracked_row *rows; /* owned; by worker, then by time */
    size_t row_count;
    size_t *first; /* owned; of each of observed->workers, and one behind the last one */
    struct cup_moment *moments; /* owned; how many workers there were */
    size_t moment_count;
};

/* Of more than MOST rows only every n-th sample is kept, for all workers the same ones, and the
 * first and last of each worker; 0: all are kept. Returns 0, or -1 without memory. */
int cup_tracking_make(struct cup_tracking *tracking, const struct cup_observed *observed,
                      size_t most);

void cup_tracking_free(struct cup_tracking *tracking);

#endif

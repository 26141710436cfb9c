/* Clocks of hosts that differ: every log's times are by its own host's, and are shifted to that of
 * Dask's scheduler where Dask knows the difference. Workers measure it with each heartbeat, and
 * what is known of a host's workers holds for all processes there. Nanoseconds. */
#ifndef CUPPING_ANALYSIS_PROFILE_CLOCKS_H
#define CUPPING_ANALYSIS_PROFILE_CLOCKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "include/log_format.h"

/* Differences up to this are left alone: the figures are made of longer times, and times of one
 * host are better not touched. */
#define CUP_CLOCK_APART_NS INT64_C(100000000)

/* Of one log. */
struct cup_clock {
    bool compared; /* with the scheduler's; or there is one host only, and nothing else is known */
    bool measured; /* by Dask, here or on another worker of the host */
    int64_t ahead_ns; /* of the scheduler's clock; meaningful if it was measured */
    int64_t error_ns; /* half of the range that nine in ten of the values lie in */
    int64_t shift_ns; /* to be added to its times */
};

struct cup_clocks {
    char *const *paths;       /* not owned; sorted */
    struct cup_clock *clocks; /* owned; as paths */
    size_t count;
};

/* Compares the clocks of logs, whose paths must be sorted and outlive the clocks. Reads the begin
 * of each log; all of it where clocks differ. Returns 0, or -1 without memory: free it all the
 * same. */
int cup_clocks_read(struct cup_clocks *clocks, char *const *paths, size_t count);
void cup_clocks_free(struct cup_clocks *clocks);

/* That of a log; not shifted, if `clocks` is NULL. */
struct cup_clock cup_clock_of(const struct cup_clocks *clocks, const char *path);

/* A time of the log by the scheduler's clock; 0 for one that is damaged, or is 0. */
int64_t cup_clock_time(const struct cup_clock *clock, int64_t told_ns);

/* Likewise the times of its header. */
void cup_clock_shift_header(const struct cup_clock *clock, struct cup_log_header *header);

#endif

/* Differences between the clocks of hosts, in nanoseconds. The times in a log are those of the
 * clock of its host. If Dask knows by how much that clock differs from the clock of the scheduler,
 * the times are shifted to the clock of the scheduler. Workers measure the difference with each
 * heartbeat; it applies to all processes of the host. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "include/log_format.h"

/* Smaller differences are not corrected: the times in reports are longer than that, and a shift
 * would move times of one host against each other. */
#define CUP_CLOCK_APART_NS INT64_C(100000000)

/* The clock of one log. */
struct cup_clock {
    /* True if the difference to the clock of the scheduler is known, or if there is only one
     * host. */
    bool compared;
    bool measured; /* Dask measured the difference, in this process or in another one of the host */
    int64_t ahead_ns; /* how far the clock of the scheduler is ahead; undefined unless `measured` */
    int64_t error_ns; /* half of the range that holds nine of ten measurements */
    int64_t shift_ns; /* added to the times of the log */
};

struct cup_clocks {
    char *const *paths;       /* not owned; sorted */
    struct cup_clock *clocks; /* owned; in the order of paths */
    size_t count;
};

/* Finds the clock differences of logs, whose paths must be sorted and outlive CLOCKS. Reads the
 * begin of each log, or all of it if clocks differ. Returns 0, or -1 without memory; call
 * cup_clocks_free() in both cases. */
int cup_clocks_read(struct cup_clocks *clocks, char *const *paths, size_t count);
void cup_clocks_free(struct cup_clocks *clocks);

/* Returns the clock of the log at PATH. Its shift is 0 if CLOCKS is NULL. */
struct cup_clock cup_clock_of(const struct cup_clocks *clocks, const char *path);

/* A time of the log, shifted to the scheduler's clock; 0 if it is 0 or damaged. */
int64_t cup_clock_time(const struct cup_clock *clock, int64_t log_ns);

/* Shifts the times of the log's header. */
void cup_clock_shift_header(const struct cup_clock *clock, struct cup_log_header *header);

/* Differences between the clocks of hosts. The times of a log are by its host's clock; they are
 * shifted to the clock of Dask's scheduler if Dask knows the difference. Workers measure it with
 * each heartbeat; the difference of a host's workers applies to all processes of the host. In
 * nanoseconds. */
#ifndef CUPPING_ANALYSIS_PROFILE_CLOCKS_H
#define CUPPING_ANALYSIS_PROFILE_CLOCKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "include/log_format.h"

/* Differences up to this are ignored: the times in reports are longer, and times of one host should
 * stay as they are. */
#define CUP_CLOCK_APART_NS INT64_C(100000000)

/* The clock of one log. */
struct cup_clock {
    bool compared; /* the difference to the scheduler's is known, or there is only one host */
    bool
        measured; /* Dask measured the difference, for this process or another worker of the host */
    int64_t ahead_ns; /* of the scheduler's clock; undefined unless `measured` */
    int64_t error_ns; /* half the width of the range with nine of ten measurements */
    int64_t shift_ns; /* add it to the log's times */
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

/* The clock of a log; without a shift if CLOCKS is NULL. */
struct cup_clock cup_clock_of(const struct cup_clocks *clocks, const char *path);

/* A time of the log, shifted to the scheduler's clock; 0 if it is 0 or damaged. */
int64_t cup_clock_time(const struct cup_clock *clock, int64_t log_ns);

/* Shifts the times of the log's header. */
void cup_clock_shift_header(const struct cup_clock *clock, struct cup_log_header *header);

#endif

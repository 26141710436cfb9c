/* Samples of workers that others took (`cupping report --samples FILE`), read from JSON. */
#ifndef CUPPING_ANALYSIS_PROFILE_SAMPLES_SAMPLES_FILE_H
#define CUPPING_ANALYSIS_PROFILE_SAMPLES_SAMPLES_FILE_H

#include <stddef.h>

#include "analysis/base/error.h"
#include "analysis/profile/samples/sample_row.h"

/* One value of one worker. */
struct cup_told_value {
    int64_t time_ns;
    double number;
    uint32_t worker, value; /* index in workers; enum cup_seen_value */
};

/* How many workers there were. */
struct cup_told_count {
    int64_t time_ns;
    double workers;
};

struct cup_samples_file {
    char *path; /* owned */
    struct cup_intern strings;
    uint32_t *workers; /* owned; strings, in the order of the file */
    size_t worker_count, worker_room;
    struct cup_told_value *values; /* owned; by time, then by worker */
    size_t value_count, value_room;
    struct cup_told_count *counts; /* owned; by time */
    size_t count_count, count_room;
    bool together;     /* all workers were looked at at the same times */
    uint64_t zoneless; /* times that name no zone */
    bool local;        /* they are taken for this machine's local time; else for UTC */
};

/* The file is an object of timelines, `worker_counts` and by worker `worker_memory`,
 * `worker_memory_limit`, `worker_cores`, `worker_active_tasks`, `worker_executing`,
 * `worker_nbytes`, `worker_occupancy`, `worker_last_seen`, `worker_cpu`, `worker_spilled`, or has
 * that object as its `tracking_data`, or as that of its `workers`. A timeline is one of
 *     {"2026-01-31T12:00:00.5": 3, ...}
 *     [{"timestamp": "2026-01-31T12:00:00.5+01:00", "value": 3}, ...]
 *     [["2026-01-31T12:00:00.5Z", 3], ...]
 * with times in ISO 8601, or, where they are no keys, in seconds since the epoch. null stands for a
 * value that is not known; other names are passed by.
 *
 * A time without a zone is local time of this machine (what roastcoffea writes, although it says
 * UTC), unless with that no sample lies between FROM_NS and TO_NS, and with UTC some do.
 * Returns 0, or -1 with one line in *error and nothing to free. */
int cup_samples_file_read(struct cup_samples_file *file, const char *path, int64_t from_ns,
                          int64_t to_ns, struct cup_error *error);

void cup_samples_file_free(struct cup_samples_file *file);

#endif

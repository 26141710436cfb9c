/* Reads samples of workers that another tool took (`cupping report --samples FILE`), from JSON. */
#pragma once

#include <stddef.h>

#include "analysis/base/error.h"
#include "analysis/profile/samples/sample_row.h"

/* One value of one worker. */
struct cup_file_value {
    int64_t time_ns;
    double number;
    uint32_t worker, value; /* index in workers; enum cup_seen_value */
};

/* The number of workers at one time. */
struct cup_file_count {
    int64_t time_ns;
    double workers;
};

struct cup_samples_file {
    char *path; /* owned */
    struct cup_intern strings;
    uint32_t *workers; /* owned; strings, in the order of the file */
    size_t worker_count, worker_room;
    struct cup_file_value *values; /* owned; by time, then by worker */
    size_t value_count, value_room;
    struct cup_file_count *counts; /* owned; by time */
    size_t count_count, count_room;
    bool together;     /* all workers were sampled at the same times */
    uint64_t zoneless; /* number of times without a zone */
    bool local;        /* these are local times of this machine; else UTC */
};

/* The file has an object of timelines: `worker_counts`, and, by worker, `worker_memory`,
 * `worker_memory_limit`, `worker_cores`, `worker_active_tasks`, `worker_executing`,
 * `worker_nbytes`, `worker_occupancy`, `worker_last_seen`, `worker_cpu`, `worker_spilled`. Other
 * names are ignored. The object is the whole file, or its member `tracking_data`, or the member
 * `tracking_data` of its member `workers`. A timeline has one of three forms:
 *   {"2026-01-31T12:00:00.5": 3, ...}
 *   [{"timestamp": "2026-01-31T12:00:00.5+01:00", "value": 3}, ...]
 *   [["2026-01-31T12:00:00.5Z", 3], ...]
 * Times are in ISO 8601; in the last two forms also in seconds since the epoch. null is a value
 * that is not known.
 *
 * A time without a zone is taken as a local time of this machine, because roastcoffea writes local
 * times although its documentation says UTC. It is taken as UTC only if, as local times, no
 * samples fall between FROM_NS and TO_NS, but as UTC some do. Returns 0, or -1 with one line in
 * *error and nothing to free. */
int cup_samples_file_read(struct cup_samples_file *file, const char *path, int64_t from_ns,
                          int64_t to_ns, struct cup_error *error);

void cup_samples_file_free(struct cup_samples_file *file);

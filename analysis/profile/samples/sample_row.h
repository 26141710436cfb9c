/* The values of one worker in one sample, for all sources of samples. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "analysis/base/intern.h"

/* X(id, name, what it is). NAME is that of its timeline in tracking_data; NULL if it has none.
 * Values from MEMORY on come from the last heartbeat of the worker. */
#define CUP_SEEN_VALUES(X)                                                                         \
    X(THREADS, "worker_cores", "its task threads")                                                 \
    X(LIMIT, "worker_memory_limit", "bytes")                                                       \
    X(PROCESSING, "worker_active_tasks", "tasks assigned to it, queued ones too")                  \
    X(EXECUTING, "worker_executing", "tasks that run")                                             \
    X(NBYTES, "worker_nbytes", "bytes of its results, by Dask's estimate")                         \
    X(OCCUPANCY, "worker_occupancy",                                                               \
      "seconds that the tasks assigned to it would take, by Dask's estimate")                      \
    X(LAST_SEEN, "worker_last_seen", "seconds since the epoch")                                    \
    X(MEMORY, "worker_memory", "resident bytes of its process")                                    \
    X(CPU, "worker_cpu", "percent of one core that its process uses")                              \
    X(SPILLED, "worker_spilled", "bytes on disk")                                                  \
    X(MANAGED, NULL, "bytes of results in memory, by Dask's estimate")                             \
    X(UNMANAGED, NULL, "bytes of MEMORY that are not MANAGED")                                     \
    X(NET_READ, NULL, "bytes/s that its host receives")                                            \
    X(NET_WRITE, NULL, "bytes/s that its host sends")                                              \
    X(DISK_READ, NULL, "bytes/s that its host reads from disks")                                   \
    X(DISK_WRITE, NULL, "bytes/s that its host writes to disks")                                   \
    X(STALL, NULL, "seconds that its event loop was late for a tick")                              \
    X(FDS, NULL, "open descriptors of its process")
enum cup_seen_value {
#define X(id, name, text) CUP_SEEN_##id,
    CUP_SEEN_VALUES(X)
#undef X
        CUP_SEEN_COUNT
};
enum { CUP_SEEN_HEARTBEAT = CUP_SEEN_MEMORY };

/* Names of timelines, by enum cup_seen_value. */
extern const char *const cup_seen_names[CUP_SEEN_COUNT];

struct cup_sample_row {
    int64_t time_ns;
    uint32_t worker;               /* index in the workers of the feed */
    bool fresh;                    /* the worker sent a heartbeat since the sample before */
    double values[CUP_SEEN_COUNT]; /* NAN: not known */
};

/* One sample: of all workers, or of one worker about itself. */
struct cup_sample_head {
    int64_t time_ns;
    double workers, threads; /* this and the next two: NAN if not known */
    double interval_s;       /* requested seconds between samples */
    double stall; /* longest time that the sampling server's event loop was blocked, seconds */
};

struct cup_sampled_name {
    struct cup_text address, name; /* not owned */
};

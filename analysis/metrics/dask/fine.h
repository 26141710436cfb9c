/* Dask's fine performance metrics (digests_total), added up over workers: by activity, prefix,
 * worker and span. Each span also has the sums of its tasks as cupping measured them. Values are
 * Dask's own doubles, in the unit of their activity (seconds, bytes, a count), since the worker
 * began. */
#pragma once

#include "analysis/base/value.h"
#include "analysis/metrics/sums/sums.h"

/* Activities for which there are figures: name in the JSON, activity and unit as Dask calls them.
 */
#define CUP_FINE_ACTIVITIES(X)                                                                     \
    X(THREAD_CPU, "thread_cpu_s", "thread-cpu", "seconds")                                         \
    X(THREAD_NONCPU, "thread_noncpu_s", "thread-noncpu", "seconds")                                \
    X(DISK_READ, "disk_read_bytes", "disk-read", "bytes")                                          \
    X(DISK_WRITE, "disk_write_bytes", "disk-write", "bytes")                                       \
    X(MEMORY_READ, "memory_read_bytes", "memory-read", "bytes")                                    \
    X(MEMORY_READS, "memory_read_count", "memory-read", "count")                                   \
    X(COMPRESS, "compress_s", "compress", "seconds")                                               \
    X(DECOMPRESS, "decompress_s", "decompress", "seconds")                                         \
    X(SERIALIZE, "serialize_s", "serialize", "seconds")                                            \
    X(DESERIALIZE, "deserialize_s", "deserialize", "seconds")                                      \
    X(NETWORK, "network_s", "network", "seconds")                                                  \
    X(EXECUTOR, "executor_s", "executor", "seconds")                                               \
    X(OTHER, "other_s", "other", "seconds")
enum cup_fine_activity {
#define X(id, name, activity, unit) CUP_FINE_##id,
    CUP_FINE_ACTIVITIES(X)
#undef X
        CUP_FINE_COUNT,
    CUP_FINE_NAMELESS = CUP_FINE_COUNT /* any other activity: of Dask, or one that the user named */
};
extern const char *const cup_fine_names[CUP_FINE_COUNT];

/* `tasks` has only activities that Dask did for tasks: those that belong to a span (contexts
 * execute and p2p), as in the span's cumulative_worker_metrics. `all` also has the rest, such as
 * transfers and spilling between tasks. */
struct cup_fine_sums {
    double all[CUP_FINE_COUNT], tasks[CUP_FINE_COUNT];
    uint64_t digests; /* number of Dask's values that are added up here; 0: Dask reported nothing */
};

/* One key of digests_total, added up over all workers. Strings of the profile; 0 means what it does
 * in struct cup_digest. */
struct cup_fine_row {
    uint32_t context, span, span_name, prefix, activity, unit;
    bool user; /* the user named this activity, with Dask's context_meter */
    uint32_t workers;
    double value;
};

struct cup_fine_prefix {
    uint32_t name; /* string */
    struct cup_fine_sums dask;
};

struct cup_fine_span {
    uint32_t id, name; /* strings of the profile; 0: not known */
    struct cup_task_sums tasks;
    /* Waits of the tasks' own threads, and of their helper threads. Known only if the profile was
     * loaded with the waits of every task. */
    struct cup_wait_sums waits;
    struct cup_measured_waits helpers;
    struct cup_fine_sums dask;
};

/* A worker that reported fine metrics. */
struct cup_fine_worker {
    uint32_t server;                /* index in profile->servers */
    bool complete;                  /* its values are final: it reported them when it ended */
    int64_t reported_ns, behind_ns; /* time of its last report; if it is not complete, how long its
                                       process lived after that */
    struct cup_fine_sums dask;
};

struct cup_fine {
    struct cup_fine_row *rows; /* owned; ordered by the ids of their strings */
    size_t row_count;
    /* processor: activities for tasks whose prefix has chunks. overhead: all others in spans. */
    struct cup_fine_sums all, processor, overhead;
    struct cup_fine_prefix *prefixes; /* owned; as profile->prefixes, then those of no seen task */
    size_t prefix_count;
    struct cup_fine_worker *workers; /* owned */
    size_t worker_count;
    struct cup_fine_span *spans; /* owned; in the order in which they were first seen */
    size_t span_count, span_room;
    uint64_t silent_workers;      /* Dask workers that reported nothing */
    uint64_t incomplete_workers;  /* workers that are not `complete` */
    int64_t behind_ns;            /* the longest behind_ns of these workers */
    bool outside[CUP_FINE_COUNT]; /* some amount of this activity belongs to no span */
    bool mixed; /* chosen tasks share a span with others (see cup_fine_make), so Dask's sums cannot
                   be split between them */
};

/* Adds up the digests of all workers. If only some tasks were chosen for the profile
 * (profile->selective), only spans without other tasks count. `prefix_chunks`: for each of
 * profile->prefixes its attempts at chunks; above 0 it is the processor. Returns 0, or -1 without
 * memory; the profile must outlive it. */
int cup_fine_make(struct cup_fine *fine, const struct cup_profile *profile,
                  const uint64_t *prefix_chunks);
void cup_fine_free(struct cup_fine *fine);

/* A value in the unit of its activity. Bytes and counts become integers if they are whole. */
struct cup_value cup_fine_number(enum cup_fine_activity activity, double value);
struct cup_value cup_fine_row_value(const struct cup_profile *profile,
                                    const struct cup_fine_row *row);

/* An activity of SUMS. cup_fine_of(): all of it, but for memory reads only those of tasks.
 * cup_fine_of_tasks(): what Dask did for tasks. Null: Dask reported nothing, or nothing for the
 * chosen tasks alone. */
struct cup_value cup_fine_of(const struct cup_fine *fine, const struct cup_profile *profile,
                             const struct cup_fine_sums *sums, enum cup_fine_activity activity);
struct cup_value cup_fine_of_tasks(const struct cup_fine *fine, const struct cup_fine_sums *sums,
                                   enum cup_fine_activity activity);

/* Dask's fine metrics (digests_total), added up over the workers that reported them: by activity,
 * prefix, worker and span. Each span also has the sums of its tasks. Values are Dask's own doubles,
 * in the unit of their activity (seconds, bytes, a count), summed since the worker began. */
#ifndef CUPPING_ANALYSIS_METRICS_DASK_FINE_H
#define CUPPING_ANALYSIS_METRICS_DASK_FINE_H

#include "analysis/base/value.h"
#include "analysis/metrics/sums/task_sums.h"

/* Activities that Dask has a name for; `unit` is one of Dask's. */
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
    CUP_FINE_NAMELESS = CUP_FINE_COUNT /* Dask's other ones, and the user's own */
};
extern const char *const cup_fine_names[CUP_FINE_COUNT];

/* `tasks` is what was done for tasks and belongs to a span (contexts execute and p2p): what a
 * span's cumulative_worker_metrics hold. `all` has the rest, too: transfers, spilling between
 * tasks. */
struct cup_fine_sums {
    double all[CUP_FINE_COUNT], tasks[CUP_FINE_COUNT];
    uint64_t digests; /* added up here; 0: Dask reported nothing */
};

/* One of Dask's keys, over all workers. Strings; 0 as in struct cup_digest. */
struct cup_fine_row {
    uint32_t context, span, span_name, prefix, activity, unit;
    bool user; /* an activity of a task that Dask has no name for: of the user's context_meter */
    uint32_t workers;
    double value;
};

struct cup_fine_prefix {
    uint32_t name; /* string */
    struct cup_fine_sums dask;
};

struct cup_fine_span {
    uint32_t id, name; /* strings; 0: not known */
    struct cup_task_sums tasks;
    struct cup_wait_sums waits;        /* where the profile has the waits of every task, as */
    struct cup_measured_waits helpers; /* those of helper threads */
    struct cup_fine_sums dask;
};

/* A worker that reported fine metrics. */
struct cup_fine_worker {
    uint32_t server;              /* index */
    bool complete;                /* its last report was made at its end */
    int64_t looked_ns, behind_ns; /* unless complete: time of the last report, and from then to the
                                     last sign of its process */
    struct cup_fine_sums dask;
};

struct cup_fine {
    struct cup_fine_row *rows; /* owned; ordered by the ids of their strings */
    size_t row_count;
    struct cup_fine_sums all, processor, overhead; /* the processor's prefixes, and the others */
    struct cup_fine_prefix *prefixes; /* owned; as profile->prefixes, then those of no task seen */
    size_t prefix_count;
    struct cup_fine_worker *workers; /* owned */
    size_t worker_count;
    struct cup_fine_span *spans; /* owned; in the order of their first record */
    size_t span_count, span_room;
    uint64_t silent_workers;      /* Dask workers that reported nothing */
    uint64_t incomplete_workers;  /* workers that are not `complete` */
    int64_t behind_ns;            /* the longest of these workers */
    bool outside[CUP_FINE_COUNT]; /* some of this activity belongs to no span */
    bool mixed; /* tasks that were not chosen share a span with chosen ones, so Dask's sums cannot
                   be split */
};

/* If only a part of the tasks was chosen (profile->selective), the sums have only spans without
 * other tasks. `prefix_chunks`: by prefix as profile->prefixes, above 0 for those of the processor.
 * Returns 0, or -1 without memory; the profile must outlive it. */
int cup_fine_make(struct cup_fine *fine, const struct cup_profile *profile,
                  const uint64_t *prefix_chunks);
void cup_fine_free(struct cup_fine *fine);

/* A value in the unit: bytes and counts as integers where they are. */
struct cup_value cup_fine_number(enum cup_fine_activity activity, double value);
struct cup_value cup_fine_row_value(const struct cup_profile *profile,
                                    const struct cup_fine_row *row);

/* An activity of SUMS: all of it (memory reads: those of tasks), or what was done for tasks only.
 * Null: Dask reported nothing, or nothing for the chosen tasks alone. */
struct cup_value cup_fine_of(const struct cup_fine *fine, const struct cup_profile *profile,
                             const struct cup_fine_sums *sums, enum cup_fine_activity activity);
struct cup_value cup_fine_of_tasks(const struct cup_fine *fine, const struct cup_fine_sums *sums,
                                   enum cup_fine_activity activity);

#endif

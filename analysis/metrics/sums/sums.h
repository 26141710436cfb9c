/* Sums over the profile, from which the other rooms of metrics/ and the metrics make their figures.
 * Nanoseconds and bytes. A point in time of 0 means: there is none. */
#pragma once

#include "analysis/base/statistics.h"
#include "analysis/base/units.h"
#include "analysis/metrics/sums/budget.h"
#include "analysis/profile/process_life.h"

/* Sums over tasks: of all, of a prefix, of a span. */
struct cup_task_sums {
    uint64_t tasks, finished, erred, unknown; /* unknown: ended, but how is not known */
    uint64_t unfinished;                      /* never ended: their process was killed or crashed */
    uint64_t running;                         /* ran when the profile was loaded */
    uint64_t wall_ns, cpu_ns;                 /* of ended tasks */
    uint64_t without_cpu; /* ended tasks whose CPU time is not known: async ones */
    uint64_t with_cpu_ns; /* wall time of the others */
    uint64_t noncpu_ns;   /* of these: cup_noncpu_ns() of each, added up */
    uint64_t read_bytes, child_read_bytes, result_bytes;
    uint64_t partly;         /* tasks that may have read more: cup_task_is_partly_attributed() */
    uint64_t partly_unknown; /* tasks of which that is not known: they began in a full log */
};

void cup_task_sums_add(struct cup_task_sums *sums, const struct cup_profile *profile,
                       const struct cup_task *task);

/* The same for tasks that a merge summed up. */
void cup_task_sums_add_sum(struct cup_task_sums *sums, const struct cup_task_sum *more);

/* True if some of the tasks have a CPU clock of their own. */
static inline bool cup_sums_have_cpu(const struct cup_task_sums *sums)
{
    return sums->finished + sums->erred > sums->without_cpu;
}

/* What became of a chunk's attempt. */
enum cup_outcome {
    CUP_OUTCOME_NONE, /* not a chunk */
    CUP_OUTCOME_USED,
    CUP_OUTCOME_REPEATED, /* succeeded, but another attempt's result was the one used */
    CUP_OUTCOME_FAILED,
    CUP_OUTCOME_UNKNOWN,    /* ended, but it is not known how */
    CUP_OUTCOME_UNFINISHED, /* never ended */
    CUP_OUTCOME_RUNNING,    /* runs, or ran when the profile was loaded */
    CUP_OUTCOME_SKIPPED, /* returned no result: process() failed, or the file could not be opened,
                            and Coffea's skipbadfiles is on */
};

/* Child processes of tasks, and the bytes that they read. */
struct cup_child_sums {
    uint64_t processes, bytes;
};

/* Sums of what Coffea itself reports of the used chunks. with_*: number of chunks that have the
 * figure. */
struct cup_coffea_sums {
    uint64_t chunks;  /* with a report */
    uint64_t unknown; /* used chunks of full logs, which do not hold Coffea's reports */
    uint64_t skipped; /* skipped chunks, which Coffea counts among its chunks */
    uint64_t with_bytes, bytes;
    uint64_t with_entries, entries;
    uint64_t with_columns;
    uint64_t process_ns;
    uint64_t read_bytes; /* bytes that the chunks in with_bytes read from data files */
};

struct cup_dataset {
    uint32_t name;
    uint64_t chunks, failed, repeated, unfinished, running, skipped; /* attempts; `chunks`: used */
    uint64_t events, without_events;      /* events; used chunks whose events are not known */
    uint64_t wall_ns, cpu_ns, process_ns; /* of used chunks, as read_bytes */
    uint64_t with_cpu, timed; /* used chunks with a CPU time; with clock calls around process() */
    uint64_t read_bytes;
    uint64_t bytes_unknown; /* sums of full logs in which other attempts' bytes are mixed with those
                               of used chunks: read_bytes has none of them */
    uint64_t attempt_bytes; /* read by all attempts */
    struct cup_coffea_sums coffea;
    struct cup_task_baskets baskets; /* of used chunks; needs the counters of every task */
};

/* The figures of which cup_chunk_statistics() makes statistics: name in the JSON, text, unit. */
#define CUP_CHUNK_STATISTICS(X)                                                                    \
    X(WALL, "time_s", "time of the task", CUP_UNIT_SECONDS)                                        \
    X(CPU, "cpu_s", "CPU time of its thread", CUP_UNIT_SECONDS)                                    \
    X(OPEN, "open_s", "before process()", CUP_UNIT_SECONDS)                                        \
    X(PROCESS, "process_s", "inside process()", CUP_UNIT_SECONDS)                                  \
    X(TIME_PER_EVENT, "time_per_event_s", "time per event", CUP_UNIT_SECONDS)                      \
    X(RSS_DELTA, "memory_delta_bytes", "memory growth (RSS)", CUP_UNIT_BYTES)                      \
    X(RSS_PER_EVENT, "memory_per_event_bytes", "memory growth per event", CUP_UNIT_BYTES)          \
    X(READ, "read_bytes", "bytes read", CUP_UNIT_BYTES)                                            \
    X(READ_PER_EVENT, "read_per_event_bytes", "bytes read per event", CUP_UNIT_BYTES)              \
    X(COMPRESSED, "bytes_read_compressed", "baskets read, compressed", CUP_UNIT_BYTES)             \
    X(UNCOMPRESSED, "bytes_read_uncompressed", "baskets read, uncompressed", CUP_UNIT_BYTES)       \
    X(BRANCHES, "branches_read", "branches read", CUP_UNIT_COUNT)                                  \
    X(EVENTS, "events", "events", CUP_UNIT_COUNT)                                                  \
    X(RESULT, "result_bytes", "size of the result", CUP_UNIT_BYTES)
enum cup_chunk_statistic {
#define X(id, name, text, unit) CUP_STAT_##id,
    CUP_CHUNK_STATISTICS(X)
#undef X
        CUP_STAT_COUNT
};

struct cup_observed;
struct cup_kernel_check;
struct cup_fine;
struct cup_branches;
struct cup_hosts;
struct cup_stages;
struct cup_waste_reasons;
struct cup_losses;
struct cup_chunk_fits;
struct cup_merge;
struct cup_completeness;
struct cup_coffea_file;
struct cup_call_tree;
struct cup_file_shares;

enum { CUP_TASK_QUANTILES = 3 };

/* A tail is the last 10 % of the chunks; of fewer chunks than these it says nothing. */
enum { CUP_TAIL_LEAST = 20 };

struct cup_totals {
    const struct cup_profile *profile;
    struct cup_task_sums all;
    struct cup_task_sums *prefixes; /* owned; as profile->prefixes */
    struct cup_task_sums
        *servers; /* owned; as profile->servers; [server_count]: server not known */
    double (*task_quantiles)[CUP_TASK_QUANTILES]; /* owned; p50, p90 and p99 of the times of ended
                                                     tasks, seconds, as profile->prefixes */
    uint64_t *prefix_chunks; /* owned; attempts at chunks, as profile->prefixes */
    /* The run: from the start of the first task to the end of the last one. It includes the Runner
     * call, if that began earlier or ended later, and the time up to the last sign of a process in
     * which an unfinished task held a thread. */
    struct cup_stretch run;
    struct cup_stretch tasks, metadata, chunks;
    bool call_left_out; /* the Runner call's clock does not agree with that of the tasks */
    int64_t tail_ns; /* from when 90 % of the chunks had ended to the end of the last one; -1: fewer
                        than CUP_TAIL_LEAST ended, the run goes on, or the chunks are not known one
                        by one */
    /* Workers with threads for tasks, even if they ran none: the most at one time of the run, as
     * are budget.threads; and all of them, also those that replaced others. */
    uint64_t workers, all_workers;
    double workers_ns; /* workers x time, while their processes were there, within the run */
    struct cup_budget budget;
    struct cup_budget *budgets;   /* owned; as profile->processes */
    struct cup_wait_sums waits;   /* of all tasks, in the pool or not */
    uint64_t pool_tasks_measured; /* tasks whose waits are in the budget */
    struct cup_measured_waits helper_waits;
    uint64_t elsewhere_tasks, elsewhere_ns; /* tasks outside of the pool's threads */
    /* The largest memory (RSS) of a process when one of its tasks began or ended; 0: not known. */
    uint64_t task_rss_bytes;
    double task_memory_percent; /* that memory of a worker with a limit, in percent of it: the
                                   largest of any; 0: not known */
    uint64_t tasks_lost; /* tasks that began, and that no record or sum has; only if none were
                            excluded */

    uint8_t *outcomes;  /* owned; enum cup_outcome, as profile->items */
    double *rss_growth; /* owned; bytes by which the process grew for the item's task, as
                           profile->items; NAN: not known */
    uint64_t used_chunks, failed_chunks, repeated_chunks, unfinished_chunks, running_chunks,
        skipped_chunks, unknown_chunks;
    uint64_t retried_chunks; /* different chunks with more than one attempt */
    /* Attempts in sums of tasks, at chunks (or metadata) that another process's sums have, too. */
    uint64_t chunks_counted_twice;
    /* From here to `coffea`: sums over used chunks. */
    uint64_t events;
    uint64_t chunks_without_events;
    uint64_t chunk_wall_ns, chunk_cpu_ns;
    uint64_t open_ns;                    /* before process() */
    uint64_t process_ns, process_cpu_ns; /* inside process() */
    uint64_t timed_chunks;               /* chunks with Coffea's clock calls around process() */
    struct cup_coffea_sums coffea;
    struct cup_dataset *datasets; /* owned */
    size_t dataset_count, dataset_room;

    uint64_t counters[CUP_COUNTER_COUNT];               /* of tasks */
    uint64_t without_task[CUP_COUNTER_COUNT];           /* in worker processes */
    uint64_t elsewhere[CUP_COUNTER_COUNT];              /* in other processes */
    struct cup_child_sums children[CUP_ANCESTRY_COUNT]; /* child processes; what they read from data
                                                           files is in neither of these */
    uint64_t chunk_file_bytes; /* read from .root files by the processor's tasks */
    uint64_t chunk_file_size;  /* size of those files */

    /* What the other rooms of metrics/ make of these sums (see totals.h); NULL if only sums were
     * made. */
    void *subjects;                      /* owned; the following point into it */
    const struct cup_observed *observed; /* the workers, by samples */
    const struct cup_kernel_check *kernel;
    const struct cup_fine *fine;
    const struct cup_branches *branches;
    const struct cup_hosts *hosts;
    const struct cup_stages *stages;
    const struct cup_waste_reasons *waste;
    const struct cup_losses *losses;
    const struct cup_chunk_fits *fits;
    const struct cup_merge *merge;
    const struct cup_completeness *completeness;

    /* Not owned; set by the caller. */
    const struct cup_coffea_file *given;  /* NULL: none */
    const struct cup_file_shares *shares; /* NULL: no file was examined */
    const struct cup_call_tree *calls;    /* NULL: stacks were not asked for */
};

/* Fills in the sums. Returns 0, or -1 without memory: the caller frees the sums in both cases. The
 * profile must outlive them. */
int cup_sums_make(struct cup_totals *totals, const struct cup_profile *profile);
void cup_sums_free(struct cup_totals *totals);

static inline const struct cup_task *cup_task_of_item(const struct cup_profile *profile,
                                                      uint32_t item)
{
    return &profile->tasks[profile->items[item].task];
}

/* True if Coffea was seen to end a chunk. */
static inline bool cup_coffea_was_seen(const struct cup_coffea_sums *sums)
{
    return sums->chunks > 0 || sums->process_ns > 0;
}

/* Sums over all of Coffea's reports; CUP_UNKNOWN64 where none has the figure, or where full logs do
 * not hold all of them. */
static inline uint64_t cup_coffea_bytes(const struct cup_coffea_sums *sums)
{
    return sums->with_bytes && !sums->unknown ? sums->bytes : CUP_UNKNOWN64;
}
static inline uint64_t cup_coffea_entries(const struct cup_coffea_sums *sums)
{
    return sums->with_entries && !sums->unknown ? sums->entries : CUP_UNKNOWN64;
}

/* Chunks as Coffea counts them: used and skipped ones. 0 where none of its reports was seen,
 * CUP_UNKNOWN64 where full logs do not hold all of them. */
static inline uint64_t cup_coffea_chunks(const struct cup_coffea_sums *sums)
{
    return sums->unknown ? CUP_UNKNOWN64 : sums->chunks ? sums->chunks + sums->skipped : 0;
}

/* What became of an attempt at an item by itself, without the other ones. */
enum cup_outcome cup_outcome_of(const struct cup_profile *profile, const struct cup_task *task,
                                const struct cup_item *item);

/* For cup_sums_make(): finds which of several attempts at a chunk is the one whose result was used.
 * Sets outcomes, retried_chunks and chunks_counted_twice. Returns 0, or -1 without memory. */
int cup_attempts_settle(struct cup_totals *totals);

/* For cup_sums_make(). Returns 0, or -1 without memory. */
int cup_task_quantiles_make(struct cup_totals *totals);

/* For cup_sums_make(). Returns 0, or -1 without memory. */
int cup_rss_growth_make(struct cup_totals *totals);

/* One figure of a chunk (index of its item), in seconds, bytes or events; NAN: not known. */
double cup_chunk_number(const struct cup_totals *totals, uint32_t item,
                        enum cup_chunk_statistic which);

/* The known ones of that figure over the used chunks. NUMBERS has room for one for each of
 * profile->items. Returns how many there are. */
size_t cup_chunk_numbers(const struct cup_totals *totals, enum cup_chunk_statistic which,
                         double *numbers);

/* Statistics of the used chunks; all NAN without any, or without memory. Slow, one pass over the
 * chunks for each: call it once, and only if they are shown. */
void cup_chunk_statistics(const struct cup_totals *totals,
                          struct cup_statistics statistics[CUP_STAT_COUNT]);

/* The different columns of the used chunks, as strings of the profile in alphabetical order; *count
 * of them. Allocated, the caller frees; NULL without memory. */
uint32_t *cup_columns_used(const struct cup_totals *totals, size_t *count);

/* What a part of the budget is called in this run: a task without an end may be running, and idle
 * time may include the gaps between tasks. */
const char *cup_budget_part_text(const struct cup_totals *totals, int part);

/* Sets workers, all_workers, workers_ns and budget.threads. Returns 0, or -1 without memory. */
int cup_workers_count(struct cup_totals *totals);

/* Number of workers in a process: Dask's; or 1 if the process has no Dask and ran tasks. */
uint64_t cup_process_workers(const struct cup_totals *totals, size_t process);

/* The Runner call of the tasks; NULL: not known, several, or no tasks. */
static inline const struct cup_run *cup_run_call(const struct cup_totals *totals)
{
    const struct cup_profile *profile = totals->profile;
    return profile->run && totals->tasks.start_ns ? &profile->runs[profile->run - 1] : NULL;
}

/* When merging ended: with the last task that ended, or with the Runner's call. What runs longer,
 * or never ended, is no merge. */
static inline int64_t cup_merge_end_ns(const struct cup_totals *totals)
{
    const struct cup_run *call = totals->call_left_out ? NULL : cup_run_call(totals);
    return call && call->stop_ns > totals->tasks.stop_ns ? call->stop_ns : totals->tasks.stop_ns;
}

static inline bool cup_prefix_is_processor(const struct cup_totals *totals, uint32_t prefix)
{
    return totals->prefix_chunks[prefix] > 0;
}

/* Indexes of the prefixes with tasks, the most task time first; *count of them. Allocated, the
 * caller frees; NULL without memory. */
uint32_t *cup_prefixes_by_time(const struct cup_totals *totals, size_t *count);

/* How many of these prefixes, from the first one on, need a row of their own: the others have less
 * than 1 % of the tasks' time each, and none of their tasks failed. A single one is no reason for a
 * row of others. */
size_t cup_prefixes_alone(const struct cup_totals *totals, const uint32_t *order, size_t count);

/* Names of the attribution methods, and the bytes that each attributed (none: unattributed). */
extern const char *const cup_method_names[CUP_METHOD_COUNT];
uint64_t cup_method_bytes(const struct cup_totals *totals, int method);
uint64_t cup_all_method_bytes(const struct cup_totals *totals);

/* From first start to last stop; -1 when there was none. */
static inline int64_t cup_stretch_ns(struct cup_stretch stretch)
{
    return stretch.stop_ns >= stretch.start_ns && stretch.stop_ns
               ? stretch.stop_ns - stretch.start_ns
               : -1;
}

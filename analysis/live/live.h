/* A job while it runs. Each look reads only what its logs have gained since the look before, and
 * the blocks and records that the processes update in place. The sums are those that
 * cup_profile_load() and cup_totals_make() would give for the same bytes; what is not known while a
 * job runs stays unknown.
 *
 * Times of hosts whose clocks differ are not shifted: that would need all of the logs. */
#pragma once

#include "analysis/base/id_map.h"
#include "analysis/base/pair_map.h"
#include "analysis/metrics/functions/installed_files.h"
#include "analysis/metrics/losses/completeness.h"
#include "analysis/metrics/sums/budget.h"
#include "analysis/profile/profile.h"

/* "Now" is the time between this look and the oldest one that is kept, about as many intervals. */
enum { CUP_LIVE_LOOKS = 6 };

/* Events of chunks are counted by the second of their end, over so many seconds. */
enum { CUP_LIVE_SECONDS = 64, CUP_LIVE_RATE_S = 60 };

/* A task. Its number counts up from 1 in its log. */
struct cup_live_task {
    int64_t start_ns, stop_ns;
    uint64_t key_hash, result_bytes;
    uint64_t events;          /* of its entry range; CUP_UNKNOWN64: not known */
    uint64_t inherited_bytes; /* read by threads that it started; a VOID record takes them away */
    uint32_t prefix;          /* index in prefixes */
    uint32_t worker;          /* index in workers */
    uint8_t status;           /* enum cup_task_status; 0: it has not ended */
    uint8_t item_kind;        /* enum cup_item_kind; 0: none */
    uint8_t outcome;          /* enum cup_outcome; NONE: not an ended chunk */
    uint8_t origin;           /* enum cup_task_origin */
    bool has_clock_calls;     /* Coffea's, around process() */
    bool has_result;          /* process() returned */
    bool voided;
};

struct cup_live_prefix {
    uint32_t name; /* string */
    uint64_t running;
};

/* A Dask worker; or a process that runs tasks without Dask. */
struct cup_live_worker {
    uint32_t process;
    uint32_t name, address; /* strings; 0: not known, or none */
    uint32_t threads;       /* 0: not known */
    uint64_t memory_limit;  /* this and the next two: CUP_UNKNOWN64: none or not known */
    uint64_t rss, cpu_ns_per_s;
    uint64_t sampled_ns;              /* when these two were measured, by the worker's clock */
    bool runs;                        /* its process runs */
    uint64_t running, done;           /* tasks */
    uint64_t closed_bytes;            /* read for tasks, without the blocks in use */
    uint64_t read_bytes;              /* with them */
    uint64_t read_at[CUP_LIVE_LOOKS]; /* at each look that is kept */
};

/* A line of the user's own code, with the libraries that it calls. */
struct cup_live_line {
    uint32_t file, name; /* strings: the file as cup_code_place() shows it; the function */
    uint32_t line;       /* 0: not known */
    uint64_t cpu_ns, wait_ns;
    uint64_t cpu_at[CUP_LIVE_LOOKS], wait_at[CUP_LIVE_LOOKS];
};

/* Chunks with one key. */
struct cup_live_chunk {
    uint64_t events;
    uint32_t used, skipped; /* attempts */
};

/* Sums over different chunks. */
struct cup_live_chunks {
    uint64_t items; /* attempts that began */
    uint64_t used, skipped;
    uint64_t events, without_events; /* of used ones */
};

/* What grows without end. Differences between two looks are amounts of "now". */
struct cup_live_sums {
    int64_t time_ns;
    uint64_t read_bytes;             /* attributed to tasks: total_bytes_read of the report */
    uint64_t task_ns;                /* inside tasks of pool threads, running ones included */
    uint64_t thread_ns;              /* threads of workers x time */
    uint64_t cpu_ns, off_cpu_ns;     /* samples of threads that worked for tasks */
    struct cup_measured_waits waits; /* of the tasks' own threads */
};

struct cup_live_log;

struct cup_live {
    char *directory; /* owned */
    /* Strings, processes, notes and runs as in any profile. Of items and tasks it has only the
     * first chunk with a work item. Nothing else is filled in. */
    struct cup_profile known;
    struct cup_live_log *logs; /* owned; in the order of known.processes */
    size_t log_count, log_room;
    struct cup_live_worker *workers; /* owned */
    size_t worker_count, worker_room;
    struct cup_live_line *lines; /* owned */
    size_t line_count, line_room;
    struct cup_live_prefix *prefixes; /* owned */
    size_t prefix_count, prefix_room;
    struct cup_live_chunk *chunk_keys; /* owned */
    size_t chunk_key_count, chunk_key_room;
    struct cup_hash_map chunk_at;   /* by hash of the key: index + 1 */
    struct cup_installed installed; /* Python files outside of site-packages */
    struct cup_pair_map prefix_at, worker_at, line_at, place_at, log_at;
    struct cup_live_chunks real, paths; /* chunks; tasks that work on a path of a file */
    struct cup_live_chunks planned;     /* of the chunks: those that a Runner of Coffea plans */
    uint64_t tasks, finished, erred, unknown, running, unfinished;
    uint64_t summed;        /* of the tasks: they began when their log was full, and have ended */
    uint64_t failed_chunks; /* attempts */
    uint32_t last_error;    /* string */
    int64_t last_error_ns;
    struct cup_stretch stretch;                /* of the tasks */
    struct cup_stretch run;                    /* with the Runner's call */
    struct cup_live_sums closed;               /* without the blocks in use and the running tasks */
    struct cup_live_sums sums[CUP_LIVE_LOOKS]; /* at the looks; [looks % CUP_LIVE_LOOKS] is next */
    uint64_t looks;
    uint64_t ended_events[CUP_LIVE_SECONDS];  /* of used chunks, by second */
    uint64_t ended_planned[CUP_LIVE_SECONDS]; /* of those that a Runner plans */
    int64_t ended_second[CUP_LIVE_SECONDS];
    int64_t now_ns;               /* time of the look */
    int64_t ends_known_ns;        /* when the ends of some chunks before it are not known; else 0 */
    struct cup_completeness plan; /* planned_*, reason, done_* */
    int64_t from_ns, to_ns;       /* tasks that start in [from, to) belong to the run */
    bool goes_on;                 /* the run */
    bool out_of_memory;
    int64_t listed_ns;        /* when the directory was listed last, */
    int64_t changed_ns;       /* and when it had changed last, by its own clock */
    uint64_t logs_unreadable; /* at the last look */
    bool tasks_summed;        /* by a merge, in a log at the last look: sums are not read here */
    uint64_t skipped_places;  /* places that held no complete record at two looks */
};

/* Returns 0, or -1 and *error if the directory has no logs. cup_live_free() in both cases. */
int cup_live_open(struct cup_live *live, const char *directory, struct cup_error *error);
void cup_live_free(struct cup_live *live);

/* Reads what all logs gained since the last look, and makes the figures below. NOW_NS: the time of
 * day, nanoseconds since 1970. Returns 0, or -1 and *error: then the figures are those of the look
 * before, if there are any (live->looks > 0), and another look may succeed unless the memory did
 * not suffice (live->out_of_memory). */
int cup_live_look(struct cup_live *live, int64_t now_ns, struct cup_error *error);

/* ---- figures of the last look -------------------------------------------------------------- */

/* Chunks that count: those with work items or clock calls; without any, those of paths. */
const struct cup_live_chunks *cup_live_chunks(const struct cup_live *live);

/* Seconds between the oldest look that is kept and the last; 0 after the first look. */
double cup_live_span_s(const struct cup_live *live);

/* The sums over that time; all 0 after the first look. */
struct cup_live_sums cup_live_now(const struct cup_live *live);

/* Index of the oldest look in the arrays of lines and workers; only if cup_live_span_s() > 0. */
size_t cup_live_oldest(const struct cup_live *live);

/* Events per second of the chunks that ended in the last minute, or since the run began, if that
 * is shorter; NAN if no chunk with a known number of events has ended. A log that was full before
 * the first look does not say when its chunks ended: then since that look, and NAN at it. */
double cup_live_event_rate(const struct cup_live *live);

/* Events per second from the begin of the run to its end, or to now; NAN if not known. */
double cup_live_mean_rate(const struct cup_live *live);

/* Seconds until all events are processed, at the rate of the last minute of chunks that a Runner
 * plans, and *reason is NULL. If that is not known: NAN, and *reason says why (a text that need not
 * be freed). */
double cup_live_eta_s(const struct cup_live *live, const char **reason);

/* The share of the samples of tasks that were on a core: of "now"; if that has none, of the whole
 * run, because the log gains samples of a long task only every 64 s. NAN without any sample. */
double cup_live_on_core_share(const struct cup_live *live);

/* How the threads' time of "now" divides, in nanoseconds, as the report's time budget. CPU is what
 * the waits leave, up to cup_live_on_core_share(). The rest is waits that have not ended, and waits
 * that no hook sees; without samples it is the CPU time, too. Returns false if the budget is not
 * known. */
bool cup_live_budget(const struct cup_live *live, struct cup_budget *budget);

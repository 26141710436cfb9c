/* The profile in memory: everything that the logs of one profile directory say, put together.
 * It consists of arrays of small structs that refer to each other by index, because a profile may
 * hold a million tasks. profile/load fills it; everything above only reads it.
 *
 * Texts are ids in `strings`; id 0 is "not known". Times are nanoseconds since the epoch, sizes are
 * bytes. An unknown value is CUP_UNKNOWN64 unless the field says otherwise. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analysis/base/error.h"
#include "analysis/base/id_map.h"
#include "analysis/base/intern.h"
#include "analysis/log/log_bytes.h"
#include "analysis/log/log_reader.h"
#include "analysis/profile/baskets.h"
#include "analysis/profile/clocks.h"
#include "analysis/profile/collected.h"
#include "analysis/profile/durations.h"
#include "analysis/profile/opens.h"
#include "analysis/profile/record_taker.h"
#include "analysis/profile/requests.h"
#include "analysis/profile/sections.h"
#include "analysis/profile/task_sums.h"
#include "analysis/profile/waits.h"
#include "include/log_format.h"

/* A task may start processes. Bytes that such a process reads outside of tasks of its own may
 * belong to the task that started it. These are the possible answers: */
enum cup_ancestry {
    CUP_ANCESTRY_NONE,     /* no task started the process */
    CUP_ANCESTRY_KNOWN,    /* attributed to the task that started the process */
    CUP_ANCESTRY_UNNAMED,  /* unattributed: no record names the task */
    CUP_ANCESTRY_LOST,     /* unattributed: the task is in no log */
    CUP_ANCESTRY_LATE,     /* unattributed: the process read after the end of the task */
    CUP_ANCESTRY_SUMMED,   /* unattributed: the task began in a full log, so its end is not known */
    CUP_ANCESTRY_SHARED,   /* unattributed: threads of the task served other tasks, too */
    CUP_ANCESTRY_EXCLUDED, /* the options exclude the task, so its bytes are not in this profile */
};
enum { CUP_ANCESTRY_COUNT = CUP_ANCESTRY_EXCLUDED + 1 };

/* Where a task ran: in Dask's thread pool, or elsewhere (async tasks on the event loop, methods of
 * actors on threads of their own). */
enum cup_place { CUP_PLACE_POOL, CUP_PLACE_ELSEWHERE, CUP_PLACE_COUNT };

/* What is known of the end of a process: see process_life.h. */
enum cup_life {
    CUP_LIFE_ENDED,    /* it closed its log */
    CUP_LIFE_RUNS,     /* it ran when the profile was loaded */
    CUP_LIFE_VANISHED, /* killed, crashed, or replaced by another program */
};

/* One log. */
struct cup_process {
    char *log_path;               /* owned */
    struct cup_log_header header; /* header of the log, with times that `clock` shifted */
    struct cup_clock clock;       /* shifts the log's times to the scheduler's clock */
    int64_t last_ns;              /* the last time in its records and its series */
    int64_t worker_ns;      /* the last time at which its worker ticked or ended a task; 0: never */
    int64_t worker_tick_ns; /* the last tick of its worker's event loop; 0: none is known */
    uint32_t parsl_worker;  /* string: its block and rank; 0: it is no worker of Parsl */
    uint32_t roles;         /* roles of its Dask servers: set of bits 1 << enum cup_role */
    uint32_t task_threads;  /* threads that ran tasks */
    uint64_t tasks;         /* number of loaded tasks: tasks[first_task] and those after it */
    uint32_t first_task;
    uint32_t first_branch, branches; /* in branch_numbers */
    /* The log has a PARENT record, which sets the next three fields. */
    bool has_parent;
    uint32_t parent_pid; /* 0: not known */
    /* Number of the task in the parent; 0: see the CHILD record for parent_pid. */
    uint32_t parent_task;
    int64_t last_read_ns; /* when it last read data; 0: never */
    uint8_t ancestry;     /* enum cup_ancestry */
    uint8_t life;         /* enum cup_life */
    /* Index of the task that started it; only for CUP_ANCESTRY_KNOWN, _LATE and _SHARED. */
    uint32_t ancestor;
    /* Sums over all of its tasks, those included that the options of loading exclude. */
    uint64_t with_task[CUP_COUNTER_COUNT];
    uint64_t read_bytes, otherwise_read;      /* of loaded tasks: see cup_process_add_reads() */
    uint64_t without_task[CUP_COUNTER_COUNT]; /* not attributed to any task */
    struct cup_wait_sums waits[CUP_PLACE_COUNT];
    struct cup_measured_waits helper_waits; /* waits of threads that helped its tasks */
    struct cup_process_sum summed; /* tasks that a merge summed up; waits and counters are also in
                                      the fields above */
};

/* A Dask server. */
struct cup_server {
    uint32_t process;
    uint32_t role; /* enum cup_role */
    uint32_t address, name, local_directory;
    uint32_t threads;      /* 0: not known */
    uint64_t memory_limit; /* CUP_UNKNOWN64: none or not known */
    uint64_t tasks;        /* number of loaded tasks that it ran */
    uint64_t all_tasks;    /* the same, also of those that the options of loading exclude */
    bool digests_complete; /* its last DIGEST record was written when the process ended */
};

/* Sums over all tasks whose keys have one prefix. Prefix 0 collects the records of tasks whose
 * TASK_BEGIN record is lost. */
struct cup_prefix {
    uint32_t name;
    uint64_t tasks;
    uint64_t counters[CUP_COUNTER_COUNT];
    struct cup_wait_sums waits;
    struct cup_measured_waits helper_waits;
    uint64_t longest_task_ns;
    uint64_t durations[CUP_DURATION_COUNT][CUP_BUCKETS];
};

/* What many tasks of a process have in common. */
struct cup_scope {
    uint32_t process;
    uint32_t prefix;        /* index in prefixes */
    uint32_t server;        /* index + 1 in servers; 0: not known */
    uint32_t span, span_id; /* name and id of the span */
};

struct cup_task {
    int64_t start_ns;
    int64_t stop_ns; /* undefined if status is 0 */
    uint64_t cpu_ns;
    uint64_t result_bytes;
    uint64_t read_bytes; /* data files and servers: sum over all attribution methods */
    /* Equal for all attempts at one task in one Runner call, or in one computation of a graph (see
     * computations.h). Two of ten million different keys have the same hash with a probability of 1
     * in 400,000. */
    uint64_t key_hash;
    uint32_t scope;               /* index in scopes */
    uint32_t item;                /* index + 1 in items; 0: none */
    uint32_t rare;                /* index + 1 in rares; 0: see cup_rare_of() */
    uint32_t rss_start, rss_stop; /* see cup_rss_bytes() */
    uint32_t key_at;              /* where the log holds its key: see cup_key_read() */
    uint32_t number;              /* in its process */
    uint32_t tid : 24;            /* Linux thread ids are below 2^22 */
    uint32_t status : 3;          /* enum cup_task_status; 0: unfinished */
    uint32_t origin : 3;          /* enum cup_task_origin */
    /* Threads that the task started served other tasks as well (VOID record). */
    bool shared : 1;
    bool split : 1; /* its time is already in the sums of waits */
};

_Static_assert(sizeof(struct cup_task) == 80, "a profile may hold ten million tasks");

/* What few tasks have. */
struct cup_task_rare {
    /* Read while it ran, and attributed to no task: read_bytes may be too small by so much. Why
     * (enum cup_unattributed_reason): the reason of the most bytes. */
    uint64_t unattributed_bytes;
    uint64_t child_read_bytes; /* by processes that it started, directly or not */
    uint32_t error;
    uint8_t unattributed_reason;
};

/* The results of other tasks that are a task's arguments. */
struct cup_inputs {
    uint32_t task;
    uint32_t count;
    uint64_t bytes;    /* Dask's estimate; CUP_UNKNOWN64: not known */
    uint64_t one_hash; /* key_hash of one of the results; 0: not known */
};

/* Did a task read all entries of its entry range, of at least one branch of its tree? */
enum cup_entries_read {
    CUP_ENTRIES_UNKNOWN, /* the task read no basket of its tree with a known number of entries */
    CUP_ENTRIES_READ,
    CUP_ENTRIES_MISSING,
};

/* What the items of a process share. */
struct cup_item_source {
    uint32_t dataset, tree;
    uint32_t columns; /* index + 1 in column_sets; 0: not known */
};

/* The work item of a task (a chunk, a partition, a file), and Coffea's clock calls. */
struct cup_item {
    uint32_t task;
    uint32_t source; /* index + 1 in item_sources; 0: see cup_source_of() */
    uint32_t file;
    uint8_t kind;  /* enum cup_item_kind; 0: there were only clock calls */
    bool reported; /* Coffea reported the chunk (CHUNK_REPORT record) */
    /* Its kind is PATH, and the profile has no real chunks: the task counts as a chunk. */
    bool path_is_chunk;
    uint8_t entries_read;            /* enum cup_entries_read */
    int64_t entry_start, entry_stop; /* -1: not known */
    int64_t tic_ns, toc_ns;          /* clock calls around process(); 0: none */
    uint64_t cpu_ns;                 /* CPU time between the two clock calls */
    uint64_t requested_bytes;        /* as Coffea reports; CUP_UNKNOWN64: not known */
    uint32_t reported_entries;       /* as Coffea reports; CUP_NO_ENTRIES: not known */
    /* Peak of its live heap, summed over its threads, KiB; 0: not known. `helpers_kib` is the part
     * of threads that helped the task: their peaks need not coincide. */
    uint32_t peak_kib, helpers_kib;
};
#define CUP_NO_ENTRIES UINT32_MAX
_Static_assert(sizeof(struct cup_item) == 80, "a profile may hold ten million items");

/* The columns that a chunk read, as Coffea names them. */
struct cup_column_set {
    uint32_t first, count; /* in column_names */
};

/* One path; files of that path on several hosts are one entry. */
struct cup_file {
    uint32_t path;
    uint32_t class; /* enum cup_file_class */
    uint32_t flags;
    uint32_t processes;
    uint32_t
        mount; /* string: its file system, if that comes from a server; 0: local, or not known */
    uint32_t last_process; /* index + 1 of the process counted last in `processes` */
    uint32_t first_sum;    /* index + 1 in file_sums; a list with one entry per task prefix */
    uint64_t size;         /* the largest in any process */
};

/* False: the size of a remote file is not known. */
static inline bool cup_file_is_sized(const struct cup_file *file)
{
    return file->size || !(file->flags & CUP_FILE_IS_REMOTE);
}

#define CUP_NO_PREFIX UINT32_MAX /* the prefix of what happens outside of any task */

struct cup_file_sum {
    uint32_t file;
    uint32_t prefix; /* index in prefixes, or CUP_NO_PREFIX */
    uint32_t next;   /* index + 1 of the next sum of the same file */
    uint64_t tasks;  /* number of different tasks that used the file */
    uint64_t counters[CUP_FILE_COUNTER_COUNT];
};

/* Where a log holds an ACCESS record, or an EXTENTS record that no ACCESS record replaces.
 * access_feed.h reads them from the log when they are needed. */
struct cup_access_place {
    uint32_t process;
    uint32_t at;       /* in units of 8 bytes */
    uint32_t task;     /* index + 1; 0: none */
    uint32_t file;     /* index */
    uint32_t sequence; /* sequence of an EXTENTS record; 0 for an ACCESS record */
};

/* A single read. One that is a part follows the other parts of its vector read. */
struct cup_single_read {
    int64_t start_ns;
    uint64_t ns;
    uint64_t offset, bytes;
    uint32_t process;
    uint32_t task; /* index + 1; 0: none */
    uint32_t file; /* index */
    bool is_part;
};

struct cup_info {
    uint32_t process, name, value;
};

struct cup_note {
    uint32_t process, text;
};

/* A CHILD record: a process says that another one, which it did not fork, works for its task. */
struct cup_child {
    uint32_t process; /* process that wrote the record */
    uint32_t pid;     /* pid of the other process */
    uint32_t task;    /* number of the task in the process that wrote the record */
    int64_t time_ns;
};

/* A call of Coffea's Runner. Its real begin is between not_before_ns and start_ns, its real end
 * between stop_ns and not_after_ns. Times are shifted to the clock of the scheduler where the
 * difference is known. */
struct cup_run {
    /* First and last time that its thread was seen inside the call. */
    int64_t start_ns, stop_ns;
    /* The nearest times that its thread was seen outside, before and after; 0: not known. */
    int64_t not_before_ns, not_after_ns;
    bool compared; /* these times could be compared with the clock of the scheduler */
    /* What it was to do, as in the RUN record. */
    bool skips_bad_files;
    uint8_t plan; /* enum cup_plan */
    uint32_t max_chunks;
    uint64_t planned_chunks, planned_events;
    uint64_t repeated_chunks, repeated_events; /* of these, equal to earlier ones */
    uint32_t pid;
    char host[64];
};

/* Where a log holds a sample of a scheduler or of a worker. worker_rows.h reads its values and the
 * rows of its workers from the log: they would be the largest part of the profile. */
struct cup_sample_place {
    int64_t time_ns;
    uint32_t server; /* index in servers; the log is that of the server's process */
    uint32_t at;     /* offset of its first record, in units of 8 bytes */
};

/* What a worker's sample of itself says that reports need. The numbers are NAN if not known. */
struct cup_own_sample {
    int64_t time_ns;
    double cpu;      /* percent of one core that its process uses */
    double stall;    /* seconds that its event loop was late for a tick */
    float threads;   /* of its thread pool */
    uint32_t worker; /* index in sampled_workers */
};

/* A worker in samples. A worker that left and came back is two entries. */
struct cup_sampled_worker {
    uint32_t process; /* process that took the samples */
    uint32_t server;  /* server that took the samples: index + 1 in servers; 0: not known */
    uint32_t number;  /* number of the worker in that process */
    uint32_t address, name;
};

/* The name of a status of workers ("running", ...). Each process numbers them in its own way. */
struct cup_status_name {
    uint32_t process, number, name;
};

/* The name of a span in one process; several processes may name the same span. */
struct cup_span {
    uint32_t id, name;
};

/* One of Dask's fine metrics of one worker: the last value written, a sum since the worker began.
 */
struct cup_digest {
    int64_t time_ns; /* when that value was written; 0: never */
    double value;
    uint32_t process;
    uint32_t server;          /* index + 1 in servers; 0: not known */
    uint32_t context;         /* 0: the key has an activity only ("latency") */
    uint32_t span, span_name; /* id and name; span 0: in no span */
    uint32_t prefix;          /* string; 0: not of a task */
    uint32_t activity, unit;
};

typedef uint64_t cup_task_counters[CUP_COUNTER_COUNT];

/* The arrays of a profile. X(entries, entry, type, merge, what): `entries` is the array,
 * entry_count and entry_room are its length and its capacity. Growth, release and merging come from
 * this list.
 *
 * A profile is put together from one profile for each log. MERGE says how the array of a log is
 * added; arrays are merged in the order of this list, so each stands after those that it refers to:
 *   COPIED   its entries are appended
 *   MOVED    its entries are appended, and each is given to move_entry(), which changes the indexes
 *            and string ids in it
 *   MERGED   merge_entries() does it, usually by adding to an entry that stands for the same thing
 * Both kinds of functions are in profile_merge.c, and missing ones do not compile. */
#define CUP_PROFILE_ARRAYS(X)                                                                      \
    X(prefixes, prefix, struct cup_prefix, MERGED, "prefixes of task keys")                        \
    X(processes, process, struct cup_process, MERGED, "one for each log")                          \
    X(servers, server, struct cup_server, MOVED, "Dask servers")                                   \
    X(scopes, scope, struct cup_scope, MOVED, "of tasks")                                          \
    X(tasks, task, struct cup_task, MOVED, "log by log")                                           \
    X(rares, rare, struct cup_task_rare, MOVED, "of some tasks")                                   \
    X(task_sums, task_sum, struct cup_task_sum, MOVED, "of tasks that a merge summed up")          \
    X(summed_keys, summed_key, uint64_t, COPIED,                                                   \
      "key_hash of those of these tasks that have work items, log by log")                         \
    X(counters, counter, cup_task_counters, COPIED, "of each task; empty unless requested")        \
    X(own_waits, own_wait, struct cup_measured_waits, COPIED,                                      \
      "of each task's own thread; empty unless requested")                                         \
    X(baskets, basket, struct cup_task_baskets, COPIED, "of each task; empty unless requested")    \
    X(inputs, input, struct cup_inputs, MOVED, "of tasks that have inputs, log by log")            \
    X(items, item, struct cup_item, MOVED, "work items of tasks")                                  \
    X(item_sources, item_source, struct cup_item_source, MOVED, "of items")                        \
    X(column_sets, column_set, struct cup_column_set, MOVED, "of Coffea's chunk reports")          \
    X(column_names, column_name, uint32_t, MOVED, "strings, set by set")                           \
    X(files, file, struct cup_file, MERGED, "one for each path")                                   \
    X(file_sums, file_sum, struct cup_file_sum, MERGED, "by file and prefix")                      \
    X(opens, open, struct cup_open_sum, MERGED, "by server and kind")                              \
    X(request_sums, request_sum, struct cup_request_sum, MERGED, "by server and host")             \
    X(requests, request, struct cup_request_row, MOVED, "REQUESTS records, log by log")            \
    X(access_places, access_place, struct cup_access_place, MOVED,                                 \
      "log by log; empty unless requested")                                                        \
    X(single_reads, single_read, struct cup_single_read, MOVED,                                    \
      "log by log; empty unless requested, and recorded (CUPPING_READS=1)")                        \
    X(branches, branch, struct cup_branch, MERGED, "by tree and name, over all files")             \
    X(branch_numbers, branch_number, struct cup_branch_number, MOVED, "log by log")                \
    X(root_files, root_file, struct cup_root_file, MERGED, "one for each path")                    \
    X(ttrees, ttree, struct cup_ttree, MERGED, "trees of those files")                             \
    X(basket_places, basket_place, struct cup_basket_place, MERGED,                                \
      "of all BASKETS records; empty if basket_places_dropped")                                    \
    X(sections, section, struct cup_section, MERGED, "that the program named")                     \
    X(section_rows, section_row, struct cup_section_row, MERGED, "by section and task")            \
    X(value_rows, value_row, struct cup_value_row, MERGED, "by named value and task")              \
    X(named_values, named_value, struct cup_named_value, MERGED, "that the program gave")          \
    X(infos, info, struct cup_info, MOVED, "facts about processes")                                \
    X(notes, note, struct cup_note, MOVED, "why something was not measured")                       \
    X(children, child, struct cup_child, MOVED, "CHILD records")                                   \
    X(samples, sample, struct cup_sample_place, MOVED, "log by log, in the order of time")         \
    X(sampled_workers, sampled_worker, struct cup_sampled_worker, MOVED, "log by log")             \
    X(own_samples, own_sample, struct cup_own_sample, MOVED,                                       \
      "of workers about themselves, log by log, in the order of time")                             \
    X(statuses, status, struct cup_status_name, MOVED, "log by log")                               \
    X(spans, span, struct cup_span, MOVED, "of Dask")                                              \
    X(other_spans, other_span, uint32_t, MOVED,                                                    \
      "ids of the spans of tasks that the options exclude; one may be there twice")                \
    X(digests, digest, struct cup_digest, MOVED, "Dask's fine metrics")                            \
    X(runs, run, struct cup_run, COPIED, "in the order in which they began")                       \
    X(damages, damage, struct cup_error, COPIED, "one for each log that is damaged or unreadable")

struct cup_profile {
    char *path; /* owned; the directory */
    struct cup_intern strings;
#define X(entries, entry, type, merge, what)                                                       \
    type *entries; /* owned */                                                                     \
    size_t entry##_count, entry##_room;
    CUP_PROFILE_ARRAYS(X)
#undef X
    bool basket_places_dropped; /* there were too many */
    uint64_t basket_rows;       /* in all BASKETS records of the loaded tasks */
    uint64_t damaged_baskets;   /* BASKETS records that could not be read to the end */
    /* What was read by no known task; the sums of branches and files include it. */
    struct cup_basket_sums without_task;
    uint64_t section_rows_left_out; /* of sections and named values: there were too many */
    bool selective;                 /* the options exclude some tasks */
    bool narrowed;                  /* a span or a time was asked for: a part of a run */
    uint32_t run;           /* index + 1 of the run whose tasks these are; 0: all, or not known */
    uint64_t tasks_skipped; /* tasks of other runs, which were not loaded */
    uint64_t tasks_summed;  /* tasks that a merge summed up: they are in task_sums, not in tasks */
    uint64_t chunks_summed; /* those of them that are chunks */
    /* Logs whose summed tasks are not loaded, because the options exclude some of them. */
    uint64_t sums_apart;
    uint64_t full_log_tasks;       /* part of tasks_summed: they began when their log was full */
    int64_t full_log_ns;           /* when the first of them began; 0: there are none */
    uint64_t full_log_tasks_apart; /* such tasks that are not loaded, because some are excluded */
    bool paths_are_chunks;         /* there are no real chunks: tasks of kind PATH count as such */

    uint64_t logs_read;       /* in full or in part */
    uint64_t logs_damaged;    /* of logs_read: in part */
    uint64_t logs_unreadable; /* not at all */
    uint64_t logs_forbidden;  /* of these: without permission */
    uint64_t logs_unopened;   /* of processes that were killed before they recorded anything */
    uint64_t unfinished_records, skipped_bytes;
    uint64_t orphan_records; /* records that refer to a task, string or file that has no record */
    uint64_t health[CUP_HEALTH_COUNT];
    struct cup_collected collected; /* of logs that were fetched over Dask */
    uint64_t features; /* features that were on in at least one process: set of enum cup_feature */
};

#define CUP_ALL_RUNS UINT32_MAX

struct cup_load_options {
    bool counters;    /* fill `counters`, `own_waits` and `baskets`: over 500 bytes for each task */
    bool baskets;     /* keep basket_places, however many there are */
    bool accesses;    /* fill `access_places` */
    bool reads;       /* fill `single_reads` */
    const char *span; /* load only tasks of the span of this name or id; NULL: all */
    /* Load only tasks of this Runner call; 0: the last call; CUP_ALL_RUNS: all calls. */
    unsigned run;
    /* The clocks of the logs, by which times are shifted; NULL: no shift. */
    const struct cup_clocks *clocks;
    /* Load only records for which it returns true, and nothing else of the log. NULL: all. */
    bool (*wants)(const void *context, const struct cup_log *log, const struct cup_record *record);
    const void *wants_context;
    int64_t from_ns, to_ns; /* load only tasks that start in [from, to); 0, 0: all */
    /* Called after each log, by one thread at a time: DONE of LOGS logs have been loaded. NULL: not
     * called. */
    void (*progress)(void *context, size_t done, size_t logs);
    void *progress_context;
    /* Gets records of each log while it is loaded; NULL: none are needed. */
    const struct cup_record_taker *taker;
};

/* Loads all logs (*.cup) of a directory. Returns 0 if at least one could be read; profile->damages
 * says what is wrong with the others. On -1 *error says why, and there is nothing to free. */
int cup_profile_load(struct cup_profile *profile, const char *directory,
                     const struct cup_load_options *options, struct cup_error *error);

/* Finds out, without loading the tasks, whether cup_profile_load() can load a directory: it has a
 * log that can be read, and this run. Returns 0, or -1 and *error. */
int cup_profile_check(const char *directory, unsigned run, struct cup_error *error);

void cup_profile_free(struct cup_profile *profile);

static inline struct cup_text cup_profile_text(const struct cup_profile *profile, uint32_t id)
{
    return cup_intern_text(&profile->strings, id);
}

/* True if two strings name the same tree: "Events" is the tree of "dir/Events;1". */
bool cup_same_tree(const struct cup_profile *profile, uint32_t one, uint32_t other);

/* Index + 1 of the branch with that number in a process's BRANCH records; 0: not known. */
uint32_t cup_branch_of(const struct cup_profile *profile, uint32_t process, uint32_t number);

/* Index of the file of that path in root_files; UINT32_MAX if there is none. A linear search. */
uint32_t cup_root_file_at(const struct cup_profile *profile, uint32_t path);

/* The tree of that name in a file (index in root_files, or UINT32_MAX); NULL if it has none. */
const struct cup_ttree *cup_ttree_named(const struct cup_profile *profile, uint32_t root_file,
                                        uint32_t tree);

static inline const struct cup_scope *cup_scope_of(const struct cup_profile *profile,
                                                   const struct cup_task *task)
{
    return &profile->scopes[task->scope];
}

/* An index in processes, and one in prefixes. */
static inline uint32_t cup_task_process(const struct cup_profile *profile,
                                        const struct cup_task *task)
{
    return cup_scope_of(profile, task)->process;
}
static inline uint32_t cup_task_prefix(const struct cup_profile *profile,
                                       const struct cup_task *task)
{
    return cup_scope_of(profile, task)->prefix;
}

/* Zeros if nothing of it is known. */
static inline const struct cup_item_source *cup_source_of(const struct cup_profile *profile,
                                                          const struct cup_item *item)
{
    static const struct cup_item_source nothing;
    return item->source ? &profile->item_sources[item->source - 1] : &nothing;
}

/* NULL if not known. */
static inline const struct cup_server *cup_task_server(const struct cup_profile *profile,
                                                       const struct cup_task *task)
{
    uint32_t server = cup_scope_of(profile, task)->server;
    return server ? &profile->servers[server - 1] : NULL;
}

/* NULL if the task has none. */
static inline const struct cup_item *cup_task_item(const struct cup_profile *profile,
                                                   const struct cup_task *task)
{
    return task->item ? &profile->items[task->item - 1] : NULL;
}

/* A chunk is a task with a Coffea work item, with a partition of uproot.dask, or with Coffea's
 * clock calls. In a profile without any of these, a task with the path of a file is a chunk. */
static inline bool cup_item_is_chunk(const struct cup_item *item)
{
    return item && (item->kind == CUP_ITEM_WORK || item->kind == CUP_ITEM_READ ||
                    item->tic_ns != 0 || item->path_is_chunk);
}

static inline bool cup_item_was_skipped(const struct cup_task *task, const struct cup_item *item)
{
    return cup_was_skipped(item->kind, task->status, task->result_bytes, item->toc_ns != 0);
}

/* Length of the entry range; CUP_UNKNOWN64 if it is not known. */
static inline uint64_t cup_item_events(const struct cup_item *item)
{
    if (item->entry_start < 0 || item->entry_stop < item->entry_start)
        return CUP_UNKNOWN64;
    return (uint64_t)(item->entry_stop - item->entry_start);
}

/* As Coffea reports; CUP_UNKNOWN64 if not known. */
static inline uint64_t cup_item_reported_entries(const struct cup_item *item)
{
    return item->reported_entries == CUP_NO_ENTRIES ? CUP_UNKNOWN64 : item->reported_entries;
}

/* The sum of the peaks of its threads, in whole KiB; CUP_UNKNOWN64 if not known. */
static inline uint64_t cup_item_peak_bytes(const struct cup_item *item)
{
    return item->peak_kib ? (uint64_t)item->peak_kib << 10 : CUP_UNKNOWN64;
}

static inline bool cup_process_has(const struct cup_profile *profile, uint32_t process,
                                   uint64_t features)
{
    return (profile->processes[process].header.features & features) == features;
}

/* Stop minus start, at least 0; CUP_UNKNOWN64 for an unfinished task. */
static inline uint64_t cup_task_wall_ns(const struct cup_task *task)
{
    if (task->status == 0)
        return CUP_UNKNOWN64;
    return task->stop_ns > task->start_ns ? (uint64_t)(task->stop_ns - task->start_ns) : 0;
}

/* What few tasks have; zeros for the others. */
static inline const struct cup_task_rare *cup_rare_of(const struct cup_profile *profile,
                                                      const struct cup_task *task)
{
    static const struct cup_task_rare nothing;
    return task->rare ? &profile->rares[task->rare - 1] : &nothing;
}

/* The same to write to; NULL without memory. Valid until the next call. */
struct cup_task_rare *cup_rare_to_fill(struct cup_profile *profile, struct cup_task *task);

/* Resident bytes of a process in 32 bits: bytes below 2 GiB, KiB beyond. The kernel counts whole
 * pages, so nothing is lost. */
#define CUP_RSS_UNKNOWN UINT32_MAX
static inline uint32_t cup_rss_pack(uint64_t bytes)
{
    const uint64_t kib = UINT64_C(1) << 31;
    if (bytes < kib)
        return (uint32_t)bytes;
    return bytes >> 10 < kib - 1 ? (uint32_t)(bytes >> 10 | kib) : CUP_RSS_UNKNOWN;
}

/* CUP_UNKNOWN64 if not known. */
static inline uint64_t cup_rss_bytes(uint32_t packed)
{
    if (packed == CUP_RSS_UNKNOWN)
        return CUP_UNKNOWN64;
    return packed >> 31 ? (uint64_t)(packed & INT32_MAX) << 10 : packed;
}

/* The task may have read over 1 % more than read_bytes. */
static inline bool cup_task_is_partly_attributed(const struct cup_profile *profile,
                                                 const struct cup_task *task)
{
    return cup_rare_of(profile, task)->unattributed_bytes > task->read_bytes / 100;
}

/* Why the task is only partly attributed. */
const char *cup_unattributed_text(const struct cup_profile *profile, const struct cup_task *task);

static inline enum cup_place cup_origin_place(unsigned origin)
{
    bool elsewhere = origin == CUP_ORIGIN_ASYNC || origin == CUP_ORIGIN_ACTOR;
    return elsewhere ? CUP_PLACE_ELSEWHERE : CUP_PLACE_POOL;
}

static inline enum cup_place cup_task_place(const struct cup_task *task)
{
    return cup_origin_place(task->origin);
}

static inline enum cup_place cup_task_sum_place(const struct cup_task_sum *sum)
{
    return cup_origin_place(cup_task_sum_origin(sum));
}

/* Durations of one kind of all tasks of a prefix. */
static inline struct cup_durations cup_prefix_durations(const struct cup_prefix *prefix, int kind)
{
    uint64_t longest_ns = kind == CUP_DURATION_READ       ? prefix->counters[CUP_C_READ_LONGEST_NS]
                          : kind == CUP_DURATION_GIL_WAIT ? prefix->counters[CUP_C_GIL_LONGEST_NS]
                                                          : prefix->longest_task_ns;
    return (struct cup_durations){prefix->durations[kind], longest_ns};
}

/* True if each of these features (a set of enum cup_feature) was on in at least one process. */
static inline bool cup_profile_measured(const struct cup_profile *profile, uint64_t features)
{
    return (profile->features & features) == features;
}

/* Names of enum cup_counter, as in the log's format. */
extern const char *const cup_counter_names[CUP_COUNTER_COUNT];

/* Adds counters to sums; of counters of kind LARGEST the larger value is kept. */
void cup_counters_add(uint64_t *restrict sums, const uint64_t *restrict values);

/* What was read other than by read_bytes, of a task or of several: pages of mapped files, and what
 * sockets received from others than servers. */
static inline uint64_t cup_otherwise_read(const uint64_t counters[CUP_COUNTER_COUNT])
{
    return counters[CUP_C_MAPPED_BYTES] + counters[CUP_C_RECV_BYTES] -
           counters[CUP_C_SERVER_READ_BYTES];
}

/* Adds the counters of a loaded task of PROCESS: what was read from data files and servers, and
 * otherwise. */
static inline void cup_process_add_reads(struct cup_process *process,
                                         const uint64_t counters[CUP_COUNTER_COUNT])
{
    for (int method = CUP_C_READ_OWN_BYTES; method <= CUP_C_READ_SOLE_BYTES; method++)
        process->read_bytes += counters[method];
    process->otherwise_read += cup_otherwise_read(counters);
}

/* Returns the features that must be on in a process for this counter to be valid. */
uint64_t cup_counter_needs(enum cup_counter counter);

/* The last time at which the process is known to have existed: its end, or the last time in its
 * log. */
static inline int64_t cup_process_last_sign_ns(const struct cup_process *process)
{
    int64_t stop_ns = process->header.log_stop_ns;
    return stop_ns > process->last_ns ? stop_ns : process->last_ns;
}

/* True if the chunks were run by another executor than Dask's: nothing of Dask was recorded, but
 * calls of Coffea were. Then no text speaks of Dask. */
bool cup_profile_is_without_dask(const struct cup_profile *profile);

/* Adds all fields but the name. */
void cup_prefix_add(struct cup_prefix *prefix, const struct cup_prefix *more);

static inline bool cup_task_sum_is_chunk(const struct cup_profile *profile,
                                         const struct cup_task_sum *sum)
{
    return (sum->what & CUP_SUM_IS_CHUNK) ||
           (cup_task_sum_kind(sum) == CUP_ITEM_PATH && profile->paths_are_chunks);
}

/* True of chunks that ended with a result. */
static inline bool cup_task_sum_was_used(const struct cup_profile *profile,
                                         const struct cup_task_sum *sum)
{
    return cup_task_sum_is_chunk(profile, sum) && cup_task_sum_status(sum) == CUP_STATUS_FINISHED &&
           !(sum->what & CUP_SUM_WAS_SKIPPED);
}

/* True if the process runs tasks: it is a Dask worker, or Coffea ran chunks in it without Dask. */
static inline bool cup_process_is_worker(const struct cup_process *process)
{
    return process->tasks > 0 || (process->roles & 1u << CUP_ROLE_WORKER) != 0;
}

/* Bytes of data files that a process started by a task read outside of its own tasks; 0 for other
 * processes. */
uint64_t cup_process_child_bytes(const struct cup_process *process);

/* Reads single records from the logs, at the places that the profile holds. Their contents would
 * be the largest part of the profile, and few are shown. */
enum { CUP_READER_LOGS = 64 }; /* open at the same time */
struct cup_record_reader {
    const struct cup_profile *profile;
    struct {
        struct cup_log_bytes bytes;
        bool open;
        uint32_t process; /* whose log it is */
    } logs[CUP_READER_LOGS];
    unsigned char *buffer; /* owned; COUNT bytes of the log of `process` at OFFSET */
    size_t count, room;
    uint64_t offset;
    uint32_t process;
    bool out_of_memory;
};

void cup_record_reader_open(struct cup_record_reader *reader, const struct cup_profile *profile);

/* The record at AT, in units of 8 bytes, in the log of a process; valid until the next call. NULL
 * if there is no record of that type (any more, because the log was replaced), if AT is 0, or
 * without memory. In the order of a log, records next to each other cost one read. */
const struct cup_record *cup_record_at(struct cup_record_reader *reader, uint32_t process,
                                       uint32_t at, uint16_t type);

/* Frees everything. Returns 0, or -1 if memory ran out and records are missing. */
int cup_record_reader_close(struct cup_record_reader *reader);

/* The key_hash of the task of a TASK_BEGIN record, in the log with that header. ATTEMPTS, of the
 * log: by thread, the number of the first attempt at Coffea's own task. 0: no memory. */
uint64_t cup_task_hash(const struct cup_log_header *header, const struct cup_record *record,
                       struct cup_id_map *attempts);

/* str(key) of a task, valid until the next call; {NULL, 0} if it cannot be read. */
struct cup_text cup_key_read(struct cup_record_reader *reader, const struct cup_task *task);

/* The model: what all logs of one profile directory say together. Tables of tight structs that
 * name each other by index, because a profile may hold a million tasks. Reporting reads it;
 * only profile_load.c fills it.
 *
 * Texts are ids in `strings`. Times are nanoseconds since the epoch, sizes bytes. A field that may
 * be unknown holds CUP_UNKNOWN64, or as told. */
#ifndef CUPPING_ANALYSIS_PROFILE_PROFILE_H
#define CUPPING_ANALYSIS_PROFILE_PROFILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analysis/base/error.h"
#include "analysis/base/intern.h"
#include "analysis/profile/baskets.h"
#include "analysis/profile/clocks.h"
#include "analysis/profile/durations.h"
#include "analysis/profile/opens.h"
#include "analysis/profile/sections.h"
#include "analysis/profile/waits.h"
#include "include/log_format.h"

/* Of a process that descends from a task: whose is what it read outside of tasks of its own? */
enum cup_ancestry {
    CUP_ANCESTRY_NONE,       /* it descends from no task */
    CUP_ANCESTRY_KNOWN,      /* its task's */
    CUP_ANCESTRY_UNNAMED,    /* nobody's: no record names the task */
    CUP_ANCESTRY_LOST,       /* nobody's: the task is in no log */
    CUP_ANCESTRY_LATE,       /* nobody's: read after the task had ended, perhaps for others */
    CUP_ANCESTRY_SHARED,     /* nobody's: what its task started served others, too */
    CUP_ANCESTRY_OTHER_SPAN, /* of a task that was not asked for */
};
enum { CUP_ANCESTRY_COUNT = CUP_ANCESTRY_OTHER_SPAN + 1 };

/* Where a task ran: Dask's own pool of threads, or elsewhere (async tasks on the event loop, calls
 * of actors' methods on threads of their own). */
enum cup_place { CUP_PLACE_POOL, CUP_PLACE_ELSEWHERE, CUP_PLACE_COUNT };

/* One log. */
struct cup_process {
    char *log_path;               /* owned */
    struct cup_log_header header; /* as the log holds it, but for times: features, health, ... */
    struct cup_clock clock;       /* by which all of its times were shifted */
    int64_t last_ns;              /* the last time that its records or its series name */
    uint32_t roles;               /* bit 1 << role, of its Dask servers */
    uint32_t task_threads;        /* threads that ran tasks */
    uint64_t tasks;
    uint32_t first_task;             /* its tasks stand in a row; with a span, only those of it */
    uint32_t first_branch, branches; /* in branch_numbers */
    bool has_parent;                 /* its PARENT record was met, which tells: */
    uint32_t parent_pid;             /* 0: not known */
    uint32_t parent_task;            /* number there; 0: the one that a CHILD record names for it */
    int64_t last_read_ns;            /* 0: never */
    uint8_t descent;                 /* enum cup_ancestry */
    uint32_t ancestor; /* its task, index in tasks; for CUP_ANCESTRY_KNOWN, _LATE, _SHARED */
    uint64_t with_task[CUP_COUNTER_COUNT];    /* sums over its tasks */
    uint64_t without_task[CUP_COUNTER_COUNT]; /* what no task could be named for */
    struct cup_wait_sums waits[CUP_PLACE_COUNT];
    struct cup_measured_waits helper_waits; /* of the threads that helped its tasks */
};

/* A Dask server. */
struct cup_server {
    uint32_t process;
    uint32_t role; /* enum cup_role */
    uint32_t address, name, local_directory;
    uint32_t threads;      /* 0: not known */
    uint64_t memory_limit; /* CUP_UNKNOWN64: none or not known */
    uint64_t tasks;        /* that it ran */
    bool digests_complete; /* its fine metrics are those of its end */
};

/* All tasks whose keys have the same prefix. [0] stands for tasks whose begin is lost. */
struct cup_prefix {
    uint32_t name;
    uint64_t tasks;
    uint64_t counters[CUP_COUNTER_COUNT];
    struct cup_wait_sums waits;
    struct cup_measured_waits helper_waits;
    uint64_t longest_task_ns;
    uint64_t durations[CUP_DURATION_COUNT][CUP_BUCKETS];
};

struct cup_task {
    int64_t start_ns;
    int64_t stop_ns; /* meaningless while status is 0 */
    uint64_t cpu_ns;
    uint64_t rss_start, rss_stop;
    uint64_t result_bytes;
    uint64_t read_bytes;       /* sum of the ways */
    uint64_t child_read_bytes; /* by processes that descend from it */
    uint64_t key_hash; /* equal for all attempts of one task: among ten million different keys,
                          two meet with a chance of one in four hundred thousand */
    uint32_t process;
    uint32_t prefix;        /* index in prefixes */
    uint32_t server;        /* index + 1 in servers; 0: not known */
    uint32_t span, span_id; /* its name; its id, 0: not known */
    uint32_t error;
    uint32_t item;       /* index + 1 in items; 0: none */
    uint32_t key_at;     /* where its key is in the log: see cup_key_reader */
    uint32_t number;     /* in its process */
    uint32_t tid : 24;   /* the kernel's are below 2^22 */
    uint32_t status : 3; /* enum cup_task_status; 0: unfinished */
    uint32_t origin : 3; /* enum cup_task_origin */
    bool shared : 1;     /* threads that it started served others, too */
    bool split : 1;      /* its time is in the sums of waits */
};

/* The results of other tasks that a task is made from. */
struct cup_inputs {
    uint32_t task;
    uint32_t count;
    uint64_t bytes;    /* by Dask's estimate; CUP_UNKNOWN64: not known */
    uint64_t one_hash; /* key_hash of one of them; 0: not known */
};

/* Did a task read as many entries as its entry range has, of any branch of its tree? */
enum cup_entries_read {
    CUP_ENTRIES_UNKNOWN, /* it read no baskets of it whose entries are known */
    CUP_ENTRIES_READ,
    CUP_ENTRIES_MISSING,
};

/* What a task was given to do, and Coffea's clock calls. */
struct cup_item {
    uint32_t task;
    uint32_t dataset, file, tree;
    uint32_t columns;                /* index + 1 in column_sets; 0: not known */
    uint8_t kind;                    /* enum cup_item_kind; 0: only the clock calls were seen */
    bool reported;                   /* what Coffea reports of it was seen */
    bool names_work;                 /* kind PATH, and no other chunks are known */
    uint8_t entries_read;            /* enum cup_entries_read */
    int64_t entry_start, entry_stop; /* -1: not known */
    int64_t tic_ns, toc_ns;          /* around process(); 0: not seen */
    uint64_t cpu_ns;                 /* between them */
    uint64_t requested_bytes;        /* that Coffea reports; CUP_UNKNOWN64: not known */
    uint32_t reported_entries;       /* likewise; CUP_NO_ENTRIES: not known */
    uint32_t peak_kib;               /* live heap of its threads at most, in KiB; 0: not known */
};
#define CUP_NO_ENTRIES UINT32_MAX
_Static_assert(sizeof(struct cup_item) == 80, "a million of them are kept");

/* Columns that a chunk made, as Coffea names them. */
struct cup_column_set {
    uint32_t first, count; /* in column_names */
};

/* A path, in whichever processes and on whichever hosts it was used. */
struct cup_file {
    uint32_t path;
    uint32_t class; /* enum cup_file_class */
    uint32_t flags;
    uint32_t processes;
    uint32_t last_process; /* index + 1 of the one that counted last */
    uint32_t first_sum;    /* index + 1 in file_sums: one for each prefix that used it */
    uint64_t size;         /* the largest seen */
};

#define CUP_NO_PREFIX UINT32_MAX /* used outside of any task */

struct cup_file_sum {
    uint32_t file;
    uint32_t prefix; /* index in prefixes, or CUP_NO_PREFIX */
    uint32_t next;   /* index + 1 of the file's next one */
    uint64_t tasks;  /* different ones */
    uint64_t counters[CUP_FILE_COUNTER_COUNT];
};

/* Where a log holds an ACCESS record of a wanted task, or of no task, or a STROKES record that is
 * told in none. What they say stays there (access_feed.h). */
struct cup_access_place {
    uint32_t process;
    uint32_t at;       /* in units of 8 bytes */
    uint32_t task;     /* index + 1; 0: none */
    uint32_t file;     /* index */
    uint32_t sequence; /* of a STROKES record; 0: it is ACCESS */
};

struct cup_info {
    uint32_t process, name, value;
};

struct cup_note {
    uint32_t process, text;
};

/* A process that another one than its own forebears names as working for one of its tasks. */
struct cup_child {
    uint32_t process; /* that names it */
    uint32_t pid;
    uint32_t task; /* number in the naming process */
    int64_t time_ns;
};

/* A call of Coffea's Runner. */
struct cup_run {
    int64_t start_ns, stop_ns;           /* by its host's clock: when it was first and last seen */
    int64_t not_before_ns, not_after_ns; /* when its thread was seen outside; 0: not known */
    bool compared;                       /* the clock of its host was: it is that of the tasks */
    uint32_t pid;
    char host[64];
};

/* Where a log holds a sample: what a scheduler, or a worker of itself, told at one time. Its values
 * and the rows of its workers stay there (worker_rows.h): they would be the largest part of the
 * model. */
struct cup_sample_place {
    int64_t time_ns;
    uint32_t server; /* index in servers: its process is the one */
    uint32_t at;     /* of its first record, in units of 8 bytes */
};

/* A worker that samples hold. One that came back is another. */
struct cup_sampled_worker {
    uint32_t process; /* whose samples those are */
    uint32_t server;  /* likewise, index + 1 in servers; 0: not known */
    uint32_t number;  /* in that process */
    uint32_t address, name;
};

/* A status of workers, as a process numbers it. */
struct cup_status_name {
    uint32_t process, number, name;
};

/* The name of a span that a process knew; several may know the same. */
struct cup_span {
    uint32_t id, name;
};

/* One of Dask's fine metrics of one worker: the sum since the worker began, as last told. */
struct cup_digest {
    int64_t time_ns; /* when that was; 0: never */
    double value;
    uint32_t process;
    uint32_t server;          /* index + 1 in servers; 0: not known */
    uint32_t context;         /* 0: the activity is all there is ("latency") */
    uint32_t span, span_name; /* 0: in none; the name 0: not known */
    uint32_t prefix;          /* string; 0: not of a task */
    uint32_t activity, unit;
};

struct cup_profile {
    char *path; /* owned; the directory */
    struct cup_intern strings;
    struct cup_process *processes;
    size_t process_count, process_room;
    struct cup_server *servers;
    size_t server_count, server_room;
    struct cup_prefix *prefixes;
    size_t prefix_count, prefix_room;
    struct cup_task *tasks;
    size_t task_count, task_room;
    uint64_t (*counters)[CUP_COUNTER_COUNT]; /* per task; NULL unless asked for */
    size_t counter_room;
    struct cup_measured_waits *own_waits; /* of its own thread; likewise */
    size_t own_wait_room;
    struct cup_task_baskets *baskets; /* of each task; likewise */
    size_t basket_room;
    struct cup_inputs *inputs; /* of the tasks that have some, in their order in each log */
    size_t input_count, input_room;
    struct cup_item *items;
    size_t item_count, item_room;
    struct cup_column_set *column_sets;
    size_t column_set_count, column_set_room;
    uint32_t *column_names;
    size_t column_name_count, column_name_room;
    struct cup_file *files;
    size_t file_count, file_room;
    struct cup_file_sum *file_sums;
    size_t file_sum_count, file_sum_room;
    struct cup_open_sum *opens; /* by server and kind */
    size_t open_count, open_room;
    struct cup_access_place *access_places; /* log by log; none unless asked for */
    size_t access_place_count, access_place_room;
    struct cup_branch *branches; /* read in any file */
    size_t branch_count, branch_room;
    struct cup_branch_number *branch_numbers; /* log by log */
    size_t branch_number_count, branch_number_room;
    struct cup_root_file *root_files;
    size_t root_file_count, root_file_room;
    struct cup_ttree *ttrees;
    size_t ttree_count, ttree_room;
    struct cup_basket_place *basket_places; /* of all BASKETS records, unless those are too many */
    size_t basket_place_count, basket_place_room;
    bool basket_places_dropped;          /* they were */
    uint64_t basket_rows;                /* of branches, in all BASKETS records of wanted tasks */
    uint64_t damaged_baskets;            /* BASKETS records that could be read in part only */
    struct cup_basket_sums without_task; /* read where no task is known; in all other sums, too */
    struct cup_info *infos;
    size_t info_count, info_room;
    struct cup_note *notes;
    size_t note_count, note_room;
    struct cup_child *children;
    size_t child_count, child_room;
    struct cup_sample_place *samples; /* log by log; those of one in the order of time */
    size_t sample_count, sample_room;
    struct cup_sampled_worker *sampled_workers; /* log by log */
    size_t sampled_worker_count, sampled_worker_room;
    struct cup_status_name *statuses; /* log by log */
    size_t status_count, status_room;
    struct cup_span *spans;
    size_t span_count, span_room;
    struct cup_digest *digests;
    size_t digest_count, digest_room;
    struct cup_section *sections; /* that the program named, and what tasks had of them */
    size_t section_count, section_room;
    struct cup_section_row *section_rows;
    size_t section_row_count, section_row_room;
    struct cup_named_value *named_values;
    size_t named_value_count, named_value_room;
    struct cup_value_row *value_rows;
    size_t value_row_count, value_row_room;
    uint64_t section_rows_left_out; /* of either kind: too many */
    bool selective;        /* not all tasks were asked for: see the options of the loading */
    uint32_t *other_spans; /* ids of the spans of tasks that were not; one may be there twice */
    size_t other_span_count, other_span_room;

    struct cup_run *runs; /* in the order in which they began */
    size_t run_count, run_room;
    uint32_t run;           /* index + 1 of the one whose tasks these are; 0: all, or not known */
    uint64_t tasks_skipped; /* of other runs */

    struct cup_error *damages; /* one for each log that is damaged or unreadable */
    size_t damage_count, damage_room;
    uint64_t logs_read;       /* in full or in part */
    uint64_t logs_damaged;    /* of them, in part */
    uint64_t logs_unreadable; /* not at all */
    uint64_t unfinished_records, skipped_bytes;
    uint64_t orphan_records; /* of tasks, strings or files that no record introduced */
    uint64_t health[CUP_HEALTH_COUNT];
    uint64_t features; /* enum cup_feature: those that were on in at least one process */
};

#define CUP_ALL_RUNS UINT32_MAX

struct cup_load_options {
    bool counters;    /* keep the counters of every task, 8 bytes each, and what it waited itself */
    bool baskets;     /* keep the places of all BASKETS records, however many rows they have */
    bool accesses;    /* keep the places of what tells where files were read, and when */
    const char *span; /* only tasks of the span of this name or id; NULL: all */
    unsigned run;     /* only tasks of this Runner call; 0: of the last; CUP_ALL_RUNS: all */
    const struct cup_clocks *clocks; /* of the logs; NULL: as they are */
    int64_t from_ns, to_ns; /* for the loading of one log: when they start; 0, 0: whenever */
};

/* Reads all logs (*.cup) of a directory. Returns 0 if at least one could be read; the others are
 * told in profile->damages. On -1 *error says why, and there is nothing to free. */
int cup_profile_load(struct cup_profile *profile, const char *directory,
                     const struct cup_load_options *options, struct cup_error *error);

void cup_profile_free(struct cup_profile *profile);

static inline struct cup_text cup_profile_text(const struct cup_profile *profile, uint32_t id)
{
    return cup_intern_text(&profile->strings, id);
}

/* True if two strings name the same tree: "Events" is the tree of "dir/Events;1". */
bool cup_same_tree(const struct cup_profile *profile, uint32_t one, uint32_t other);

/* Index + 1 of the branch that has NUMBER in a process; 0: not known. */
uint32_t cup_branch_of(const struct cup_profile *profile, uint32_t process, uint32_t number);

/* Index of the file of that path in root_files; UINT32_MAX if there is none. Looks at all. */
uint32_t cup_root_file_at(const struct cup_profile *profile, uint32_t path);

/* What was told of a tree of a file (index in root_files, or UINT32_MAX); NULL if nothing. */
const struct cup_ttree *cup_ttree_named(const struct cup_profile *profile, uint32_t root_file,
                                        uint32_t tree);

/* NULL when not known. */
static inline const struct cup_server *cup_task_server(const struct cup_profile *profile,
                                                       const struct cup_task *task)
{
    return task->server ? &profile->servers[task->server - 1] : NULL;
}

/* NULL when it has none. */
static inline const struct cup_item *cup_task_item(const struct cup_profile *profile,
                                                   const struct cup_task *task)
{
    return task->item ? &profile->items[task->item - 1] : NULL;
}

/* A chunk is a task that carries a work item or reads a partition of uproot.dask's, or in which
 * Coffea's clock calls were seen; and, where there are none of these, one that is given the path of
 * a file. */
static inline bool cup_item_is_chunk(const struct cup_item *item)
{
    return item && (item->kind == CUP_ITEM_WORK || item->kind == CUP_ITEM_READ ||
                    item->tic_ns != 0 || item->names_work);
}

/* Events of a work item; CUP_UNKNOWN64 when its entry range is not known. */
static inline uint64_t cup_item_events(const struct cup_item *item)
{
    if (item->entry_start < 0 || item->entry_stop < item->entry_start)
        return CUP_UNKNOWN64;
    return (uint64_t)(item->entry_stop - item->entry_start);
}

/* That Coffea reports; CUP_UNKNOWN64 when not known. */
static inline uint64_t cup_item_reported_entries(const struct cup_item *item)
{
    return item->reported_entries == CUP_NO_ENTRIES ? CUP_UNKNOWN64 : item->reported_entries;
}

/* To the KiB; CUP_UNKNOWN64 when not known. Over several threads it is the sum of their peaks. */
static inline uint64_t cup_item_peak_bytes(const struct cup_item *item)
{
    return item->peak_kib ? (uint64_t)item->peak_kib << 10 : CUP_UNKNOWN64;
}

static inline bool cup_process_has(const struct cup_profile *profile, uint32_t process,
                                   uint64_t features)
{
    return (profile->processes[process].header.features & features) == features;
}

/* Stop less start, never negative; CUP_UNKNOWN64 for an unfinished task. */
static inline uint64_t cup_task_wall_ns(const struct cup_task *task)
{
    if (task->status == 0)
        return CUP_UNKNOWN64;
    return task->stop_ns > task->start_ns ? (uint64_t)(task->stop_ns - task->start_ns) : 0;
}

static inline enum cup_place cup_task_place(const struct cup_task *task)
{
    bool elsewhere = task->origin == CUP_ORIGIN_ASYNC || task->origin == CUP_ORIGIN_ACTOR;
    return elsewhere ? CUP_PLACE_ELSEWHERE : CUP_PLACE_POOL;
}

/* Durations of one kind of all tasks of a prefix. */
static inline struct cup_durations cup_prefix_durations(const struct cup_prefix *prefix, int kind)
{
    uint64_t longest_ns = kind == CUP_DURATION_READ       ? prefix->counters[CUP_C_READ_LONGEST_NS]
                          : kind == CUP_DURATION_GIL_WAIT ? prefix->counters[CUP_C_GIL_LONGEST_NS]
                                                          : prefix->longest_task_ns;
    return (struct cup_durations){prefix->durations[kind], longest_ns};
}

/* True if what needs the features (a set of enum cup_feature) could be measured somewhere. */
static inline bool cup_profile_measured(const struct cup_profile *profile, uint64_t features)
{
    return (profile->features & features) == features;
}

/* Names of enum cup_counter, as in the log's format. */
extern const char *const cup_counter_names[CUP_COUNTER_COUNT];

/* Adds counters to sums, or, where a counter's kind is LARGEST, keeps the larger one. */
void cup_counters_add(uint64_t *restrict sums, const uint64_t *restrict values);

/* The features without which a counter says nothing. */
uint64_t cup_counter_needs(enum cup_counter counter);

/* When the process is last known to have been there: its end where it was told, else the last thing
 * that its log tells of it. */
static inline int64_t cup_process_last_sign_ns(const struct cup_process *process)
{
    int64_t stop_ns = process->header.log_stop_ns;
    return stop_ns > process->last_ns ? stop_ns : process->last_ns;
}

/* A process that runs tasks: a Dask worker, or one in which Coffea ran chunks without Dask. */
static inline bool cup_process_is_worker(const struct cup_process *process)
{
    return process->tasks > 0 || (process->roles & 1u << CUP_ROLE_WORKER) != 0;
}

/* Data files that a descendant of a task read outside of tasks of its own; 0 for other processes.
 */
uint64_t cup_process_child_bytes(const struct cup_process *process);

/* Keys stay in the logs: they would be the largest part of the model, and few are shown. Reading
 * them in the order of tasks costs one small read each. */
struct cup_key_reader {
    const struct cup_profile *profile;
    int fd;
    uint32_t process; /* whose log is open */
    char *buffer;     /* owned */
    size_t room;
};

void cup_key_reader_open(struct cup_key_reader *reader, const struct cup_profile *profile);

/* Of the bytes of a key; never 0. */
uint64_t cup_key_hash(struct cup_text key);

/* str(key) of a task, valid until the next call; {NULL, 0} when it cannot be read. */
struct cup_text cup_key_read(struct cup_key_reader *reader, const struct cup_task *task);

void cup_key_reader_close(struct cup_key_reader *reader);

#endif

/* Shared by the files that add the records of one log to a profile. log_loader.c reads the log and
 * calls the function for the type of each record. */
#pragma once

#include "analysis/base/array.h"
#include "analysis/log/log_reader.h"
#include "analysis/profile/profile_builder.h"
#include "analysis/profile/samples/sample_feed.h"

/* An ACCESS record, or an EXTENTS record that no ACCESS record replaces. */
struct cup_access_set {
    uint32_t at; /* place of the record in the log: see record_place() */
    uint32_t task, file, own, sequence;
};

/* The EXTENTS records with a file. An entry whose `file` is 0 was replaced by an ACCESS record. */
struct cup_access_sets {
    struct cup_access_set *sets; /* owned */
    size_t count, room;
    struct cup_id_map by_number; /* index + 1 */
};

/* Which tasks of the log used which files, so that a task counts once for each file. */
struct cup_visit {
    uint32_t file, next; /* index + 1 of the task's next visit */
};

struct cup_visits {
    uint32_t *first; /* owned; for each task: index + 1 of its first visit */
    size_t task_count, task_room;
    struct cup_visit *visits; /* owned */
    size_t count, room;
};

void cup_visits_clear(struct cup_visits *visits);

/* Waits of the own threads of tasks, kept from the COUNTERS record of the thread until the
 * TASK_END record. TASK_END follows soon, so the list is short even for a million tasks. */
struct cup_own_waits {
    uint32_t task; /* number in the process */
    struct cup_measured_waits measured;
    uint64_t major_faults;
};

/* A list with more entries than a process has threads means that TASK_END records were lost: then
 * the oldest half is dropped. */
enum { CUP_OWN_WAITS_MOST = 1024 };

struct cup_own_wait_list {
    struct cup_own_waits *waits; /* owned; the newest last */
    size_t count, room;
};

/* Returns 0, or -1 without memory. */
int cup_own_waits_keep(struct cup_own_wait_list *list, const struct cup_own_waits *waits);

/* Removes the waits of a task from the list; false if there are none. */
bool cup_own_waits_take(struct cup_own_wait_list *list, uint32_t task, struct cup_own_waits *waits);

void cup_own_waits_clear(struct cup_own_wait_list *list);

/* A task whose threads served other tasks, too: what these threads read is unattributed. */
struct cup_starter {
    int64_t start_ns, stop_ns; /* 0: no begin is recorded; INT64_MAX: no end */
    uint64_t bytes;
};

/* Bytes of all starters up to the entry. */
struct cup_bytes_at {
    int64_t at_ns;
    uint64_t bytes;
};

struct cup_starters {
    struct cup_starter *all; /* owned */
    size_t count, room;
    struct cup_id_map by_number;        /* index + 1 in `all` */
    struct cup_bytes_at *begun, *ended; /* owned; in the order of starts and of stops */
    size_t sums;                        /* length of either */
};

void cup_starters_clear(struct cup_starters *starters);

/* In the map of tasks, this stands for a task that the options exclude. */
#define CUP_UNWANTED_TASK UINT32_MAX

/* The state while one log is loaded. The keys of maps are ids of that log. */
struct cup_loader {
    struct cup_builder *builder;
    const struct cup_load_options *options;
    /* Id of a string in the profile: the name or id of the only span to load; 0: all spans. */
    uint32_t span;
    struct cup_log *log;
    struct cup_kept_records *kept; /* for the taker */
    uint32_t process;              /* index */
    struct cup_clock clock;
    struct cup_id_map strings;      /* id in the profile */
    struct cup_id_map files;        /* index + 1 */
    struct cup_id_map open_servers; /* by FILE record: string */
    struct cup_id_map servers;      /* index + 1 */
    struct cup_id_map columns;      /* index + 1 */
    struct cup_id_map tasks;        /* by number: index + 1, or CUP_UNWANTED_TASK */
    struct cup_id_map threads;      /* by tid: 1 for threads that ran tasks */
    struct cup_id_map attempts;     /* for cup_task_hash() */
    struct cup_id_map others;       /* by string of the span's id: 1 if it is in other_spans */
    struct cup_id_map voided;       /* by number: 1 for tasks with a VOID record */
    struct cup_starters starters;   /* tasks with a VOID record */
    struct cup_visits visits;
    struct cup_own_wait_list own_waits;
    struct cup_id_map sample_rows;       /* by number of a sample: where its first ROWS record is */
    size_t first_sample;                 /* of this log, in profile->samples */
    struct cup_kept_records own_samples; /* records of samples, unless only a scheduler took them */
    struct cup_id_map digests;           /* by key: index + 1 */
    struct cup_id_map branches;          /* index + 1 */
    struct cup_id_map root_files;        /* by FILE record: index + 1 */
    struct cup_access_sets access_sets;
    uint32_t item_tree, branch_tree; /* cache of is_tree(): the names that it compared last */
    bool same_tree;                  /* cache of is_tree(): its last answer */
    bool sums_unwanted;              /* the options exclude the tasks that the log sums up */
};

static inline struct cup_profile *profile_of(const struct cup_loader *loader)
{
    return loader->builder->profile;
}

static inline struct cup_process *process_of(struct cup_loader *loader)
{
    return &profile_of(loader)->processes[loader->process];
}

static inline uint32_t string_of(struct cup_loader *loader, uint32_t id)
{
    uint32_t string = cup_id_map_get(&loader->strings, id);
    if (id && !string)
        profile_of(loader)->orphan_records++;
    return string;
}

/* A time of the log, shifted to the scheduler's clock if the difference is known. */
static inline int64_t time_of(const struct cup_loader *loader, int64_t log_ns)
{
    return cup_clock_time(&loader->clock, log_ns);
}

static inline void note_last_time(struct cup_loader *loader, int64_t time_ns)
{
    if (time_ns > process_of(loader)->last_ns)
        process_of(loader)->last_ns = time_ns;
}

static inline void note_worker_time(struct cup_loader *loader, int64_t time_ns)
{
    if (time_ns > process_of(loader)->worker_ns)
        process_of(loader)->worker_ns = time_ns;
}

/* True if the options exclude some tasks. */
static inline bool is_selective(const struct cup_loader *loader)
{
    return loader->span || loader->options->from_ns != loader->options->to_ns;
}

/* True if threads that the task started served other tasks as well: the log has a VOID record for
 * it, or may have had one that was dropped. */
static inline bool is_voided(const struct cup_loader *loader, uint32_t task)
{
    return cup_id_map_get(&loader->voided, task) || cup_log_lacks_voids(loader->log);
}

/* Returns the number of the task to which a block of KIND is attributed; 0: none. */
static inline uint32_t cup_owner_of(const struct cup_loader *loader, uint32_t task, uint32_t kind)
{
    return kind == CUP_BLOCK_INHERITS && is_voided(loader, task) ? 0 : task;
}

/* Returns the task of that number; NULL if the options exclude it, or if it has no TASK_BEGIN
 * record: it began in a full log, or the record is lost, which is counted. */
static inline struct cup_task *find_task(struct cup_loader *loader, uint32_t number)
{
    uint32_t index = cup_id_map_get(&loader->tasks, number);
    if (index == 0)
        profile_of(loader)->orphan_records += !loader->log->totals;
    return index == 0 || index == CUP_UNWANTED_TASK ? NULL : &profile_of(loader)->tasks[index - 1];
}

/* Returns the offset of the current record in the log, in units of 8 bytes. Beyond 32 GiB it
 * returns 0, and the record cannot be found again. */
static inline uint32_t record_place(const struct cup_loader *loader)
{
    uint64_t place = loader->log->record_offset / 8;
    return place <= UINT32_MAX ? (uint32_t)place : 0;
}

/* Declares cup_load_string(loader, record), and so on: one function for each type of record
 * (log_format.h). If one is missing, the program does not link. */
#define X(NAME, name, number, bytes, least, tail)                                                  \
    void cup_load_##name(struct cup_loader *loader, const struct cup_record *record);
CUP_RECORDS(X)
#undef X

/* Call it at the end of the log: adds the EXTENTS records that no ACCESS record replaced. */
void cup_load_open_extents(struct cup_loader *loader);
void cup_access_sets_clear(struct cup_access_sets *sets);

/* Call it at the end of the log: finds the tasks and files of single reads. */
void cup_load_read_owners(struct cup_loader *loader);

/* Call it at the end of the log: adds the samples that its workers took of themselves. */
void cup_load_own_samples(struct cup_loader *loader);

/* Notes that the process read FILE (index + 1), which has no FILE record in its log: only work
 * items name it. */
void cup_note_named_file(struct cup_loader *loader, uint32_t file);

/* The file (index + 1) that TASK read: FILE (index + 1), unless its name was encrypted
 * ("https://host/") and the task's work item names it. */
uint32_t cup_find_read_file(struct cup_loader *loader, uint32_t file, const struct cup_task *task);

/* Adds a block that the process had not closed when it was killed or the log was read. */
void cup_load_open_block(struct cup_loader *loader, struct cup_open_block *open);

/* Reads the VOID records of the log at PATH, and what the threads of these tasks read. Call it
 * before the log is loaded: a VOID record also applies to records that come before it. */
void cup_load_voids(struct cup_loader *loader, const char *path);

/* Bytes that threads of tasks with a VOID record read: of those tasks that ran at the same time as
 * TASK, which includes itself. */
uint64_t cup_voided_bytes(const struct cup_loader *loader, const struct cup_task *task);

/* Adds these bytes to the unattributed bytes of TASK. Call it once for each task, when its end is
 * known; the second function is for tasks without an end, at the end of the log. */
void cup_load_voided_bytes(struct cup_loader *loader, struct cup_task *task);
void cup_load_voided_bytes_at_log_end(struct cup_loader *loader);

/* How the time of tasks is split into CPU time and waits (load_waits.c). The first function adds
 * the counters of the own thread of a task (INDEX is that of the task in the profile), the second
 * is called when a task ends. The third is called at the end of the log: it adds the tasks that
 * ended without known waits. */
void cup_load_own_waits(struct cup_loader *loader, uint32_t number, uint32_t index,
                        const uint64_t counters[CUP_COUNTER_COUNT]);
void cup_load_waits_at_task_end(struct cup_loader *loader, struct cup_task *task);
void cup_load_waits_at_log_end(struct cup_loader *loader);

/* A log that is larger than this is loaded directly into the whole profile when its turn comes: to
 * hold a second copy of its tasks would take too much memory. Bytes. */
enum { CUP_LARGE_LOG = 32 << 20 };

/* Adds one log to a profile, and keeps the records that the taker of the options wants. Damage, or
 * a log that cannot be read at all, is added to profile->damages. */
void cup_load_log(struct cup_builder *builder, const char *path,
                  const struct cup_load_options *options, struct cup_kept_records *kept);

/* Shifts the times of a sum in the profile to the scheduler's clock, and counts its tasks for their
 * server. */
void cup_finish_task_sum(struct cup_loader *loader, struct cup_task_sum *sum);

/* Adds the totals of the log; called after its records. */
void cup_load_totals(struct cup_loader *loader);

/* Shared by the files that add the records of one log to a profile. log_loader.c reads the log and
 * calls the function for the type of each record. */
#ifndef CUPPING_ANALYSIS_PROFILE_LOAD_LOADER_H
#define CUPPING_ANALYSIS_PROFILE_LOAD_LOADER_H

#include "analysis/base/array.h"
#include "analysis/log/log_reader.h"
#include "analysis/profile/load/own_waits.h"
#include "analysis/profile/load/visits.h"
#include "analysis/profile/profile_builder.h"

/* An ACCESS record, or an EXTENTS record that no ACCESS record replaces. */
struct cup_access_set {
    uint32_t at; /* record_place() */
    uint32_t task, file, own, kept;
};

/* The EXTENTS records that are in use. */
struct cup_access_sets {
    struct cup_access_set *sets; /* owned; file 0: replaced by an ACCESS record */
    size_t count, room;
    struct cup_id_map by_number; /* index + 1 */
};

/* In maps of tasks: a task that the options exclude. */
#define CUP_UNWANTED_TASK UINT32_MAX

/* The state while one log is loaded. The keys of maps are ids of that log. */
struct cup_loader {
    struct cup_builder *builder;
    const struct cup_load_options *options;
    uint32_t span; /* string: name or id of the only span to be loaded; 0: all spans */
    const struct cup_log *log;
    uint32_t process; /* index */
    struct cup_clock clock;
    struct cup_id_map strings;      /* id in the profile */
    struct cup_id_map files;        /* index + 1 */
    struct cup_id_map open_servers; /* by FILE record: string */
    struct cup_id_map servers;      /* index + 1 */
    struct cup_id_map columns;      /* index + 1 */
    struct cup_id_map tasks;        /* by number: index + 1, or CUP_UNWANTED_TASK */
    struct cup_id_map threads;      /* by tid: 1 for threads that ran tasks */
    struct cup_id_map others;       /* by string of the span's id: 1 if it is in other_spans */
    struct cup_id_map voided;       /* by number: 1 for tasks with a VOID record */
    struct cup_visits visits;
    struct cup_own_wait_list own_waits;
    struct cup_id_map sample_rows; /* by number of a sample: where its first ROWS record is */
    struct cup_id_map digests;     /* by key: index + 1 */
    struct cup_id_map branches;    /* index + 1 */
    struct cup_id_map root_files;  /* by FILE record: index + 1 */
    struct cup_access_sets access_sets;
    uint32_t item_tree, branch_tree; /* the two names that is_tree() compared last, */
    bool same_tree;                  /* and its answer */
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

static inline void saw_time(struct cup_loader *loader, int64_t time_ns)
{
    if (time_ns > process_of(loader)->last_ns)
        process_of(loader)->last_ns = time_ns;
}

/* True if the options exclude some tasks. */
static inline bool is_selective(const struct cup_loader *loader)
{
    return loader->span || loader->options->from_ns != loader->options->to_ns;
}

/* True if threads that the task started served other tasks as well: it has a VOID record, or may
 * have one that was dropped. */
static inline bool is_voided(const struct cup_loader *loader, uint32_t task)
{
    const uint64_t *health = loader->log->header.health;
    return cup_id_map_get(&loader->voided, task) ||
           (health[CUP_H_THREADS_VOIDED] && health[CUP_H_RECORDS_DROPPED]);
}

/* The task that a block of KIND counts for; 0: none. */
static inline uint32_t cup_owner_of(const struct cup_loader *loader, uint32_t task, uint32_t kind)
{
    return kind == CUP_BLOCK_INHERITS && is_voided(loader, task) ? 0 : task;
}

/* The task of that number; NULL if the options exclude it, or if its TASK_BEGIN is lost, which is
 * counted. */
static inline struct cup_task *find_task(struct cup_loader *loader, uint32_t number)
{
    uint32_t index = cup_id_map_get(&loader->tasks, number);
    if (index == 0)
        profile_of(loader)->orphan_records++;
    return index == 0 || index == CUP_UNWANTED_TASK ? NULL : &profile_of(loader)->tasks[index - 1];
}

/* The offset of the current record in the log, in units of 8 bytes. 0 beyond 32 GiB: then nothing
 * finds the record again. */
static inline uint32_t record_place(const struct cup_loader *loader)
{
    uint64_t place = loader->log->record_offset / 8;
    return place <= UINT32_MAX ? (uint32_t)place : 0;
}

/* cup_load_string(loader, record), and so on: one function for each type of record (log_format.h).
 * A type without one does not link. */
#define X(NAME, name, number, bytes, least, tail)                                                  \
    void cup_load_##name(struct cup_loader *loader, const struct cup_record *record);
CUP_RECORDS(X)
#undef X

/* Adds the access extents that no ACCESS record holds, at the end of the log. */
void cup_load_open_extents(struct cup_loader *loader);
void cup_access_sets_clear(struct cup_access_sets *sets);

/* Adds a block that the process had not closed. */
void cup_load_open_block(struct cup_loader *loader, struct cup_open_block *open);

/* Where tasks' time went (load_waits.c): adds the counters of a task's own thread (INDEX: in the
 * profile's tasks); handles the end of a task; at the end of the log, adds the tasks whose own
 * thread has no known waits. */
void cup_load_own_waits(struct cup_loader *loader, uint32_t number, uint32_t index,
                        const uint64_t counters[CUP_COUNTER_COUNT]);
void cup_load_ended(struct cup_loader *loader, struct cup_task *task);
void cup_load_split_the_rest(struct cup_loader *loader);

#endif

/* What the files share that add the records of one log to a profile: log_loader.c reads the log and
 * hands each record to the handler of its type. */
#ifndef CUPPING_ANALYSIS_PROFILE_LOAD_LOADER_H
#define CUPPING_ANALYSIS_PROFILE_LOAD_LOADER_H

#include "analysis/base/array.h"
#include "analysis/log/log_reader.h"
#include "analysis/profile/load/own_waits.h"
#include "analysis/profile/load/visits.h"
#include "analysis/profile/profile_builder.h"

/* An ACCESS record, or a STROKES record that is not told in one; kept is its sequence then. */
struct cup_access_set {
    uint32_t at; /* record_place() */
    uint32_t task, file, own, kept;
};

/* STROKES records in use. */
struct cup_access_sets {
    struct cup_access_set *sets; /* owned; file 0: told meanwhile */
    size_t count, room;
    struct cup_id_map by_number; /* index + 1 */
};

/* In maps of tasks: a task that the options exclude. */
#define CUP_UNWANTED_TASK UINT32_MAX

/* What is needed while one log is read. The maps are by the ids of that log. */
struct cup_loader {
    struct cup_builder *builder;
    const struct cup_load_options *options;
    uint32_t span; /* string, a name or an id; 0: all spans */
    const struct cup_log *log;
    uint32_t process; /* index */
    struct cup_clock clock;
    struct cup_id_map strings;      /* id in the profile */
    struct cup_id_map files;        /* index + 1 */
    struct cup_id_map open_servers; /* by FILE record: string */
    struct cup_id_map servers;      /* index + 1 */
    struct cup_id_map columns;      /* index + 1 */
    struct cup_id_map tasks;        /* by number: index + 1, or CUP_UNWANTED_TASK */
    struct cup_id_map threads;      /* by tid: 1 for those that ran tasks */
    struct cup_id_map others;       /* by span's id in the profile: 1 if it is among other_spans */
    struct cup_id_map voided;       /* by number: 1 for tasks whose threads served others, too */
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

/* A time of the log, by the scheduler's clock where that is known. */
static inline int64_t time_of(const struct cup_loader *loader, int64_t told_ns)
{
    return cup_clock_time(&loader->clock, told_ns);
}

static inline void saw_time(struct cup_loader *loader, int64_t time_ns)
{
    if (time_ns > process_of(loader)->last_ns)
        process_of(loader)->last_ns = time_ns;
}

/* Not all tasks were asked for. */
static inline bool is_selective(const struct cup_loader *loader)
{
    return loader->span || loader->options->from_ns != loader->options->to_ns;
}

/* Threads that the task started served others, too. Where records were dropped, one that says so
 * may be among them. */
static inline bool is_voided(const struct cup_loader *loader, uint32_t task)
{
    const uint64_t *health = loader->log->header.health;
    return cup_id_map_get(&loader->voided, task) ||
           (health[CUP_H_THREADS_VOIDED] && health[CUP_H_RECORDS_DROPPED]);
}

/* The task that a block of KIND is counted for; 0: none. */
static inline uint32_t cup_owner_of(const struct cup_loader *loader, uint32_t task, uint32_t kind)
{
    return kind == CUP_BLOCK_INHERITS && is_voided(loader, task) ? 0 : task;
}

/* The task of that number; NULL if it was not asked for, or its begin is lost (counted). */
static inline struct cup_task *find_task(struct cup_loader *loader, uint32_t number)
{
    uint32_t index = cup_id_map_get(&loader->tasks, number);
    if (index == 0)
        profile_of(loader)->orphan_records++;
    return index == 0 || index == CUP_UNWANTED_TASK ? NULL : &profile_of(loader)->tasks[index - 1];
}

/* Where the current record stands in the log, in units of 8 bytes; 0 beyond 32 GiB: the record is
 * then not found again. */
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

/* What the process had still open when it died, or when we looked. */
void cup_load_open_block(struct cup_loader *loader, struct cup_open_block *open);

/* Where tasks' time went: load_waits.c. The block of a task's own thread (index: of the task in the
 * profile); a task that has ended; all whose own thread told nothing, or too late. */
void cup_load_own_waits(struct cup_loader *loader, uint32_t number, uint32_t index,
                        const uint64_t counters[CUP_COUNTER_COUNT]);
void cup_load_ended(struct cup_loader *loader, struct cup_task *task);
void cup_load_split_the_rest(struct cup_loader *loader);

#endif

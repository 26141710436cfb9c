/* What the files share that add the records of one log to a profile: log_loader.c reads the log and
 * hands each record to the handler of its type. */
#ifndef CUPPING_ANALYSIS_PROFILE_LOAD_LOADER_H
#define CUPPING_ANALYSIS_PROFILE_LOAD_LOADER_H

#include "analysis/base/array.h"
#include "analysis/log/log_reader.h"
#include "analysis/profile/load/load_root.h"
#include "analysis/profile/load/load_samples.h"
#include "analysis/profile/load/own_waits.h"
#include "analysis/profile/load/visits.h"
#include "analysis/profile/profile_builder.h"

/* An ACCESS record, or a STROKES record that is not told in one; kept is its sequence then. */
struct cup_access_set {
    uint64_t at;
    uint32_t task, file, own, kept;
};

/* STROKES records in use. */
struct cup_access_sets {
    struct cup_access_set *sets; /* owned; file 0: told meanwhile */
    size_t count, room;
    struct cup_id_map by_number; /* index + 1 */
};

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
    struct cup_sample_loader samples;
    struct cup_root_loader root;
    struct cup_access_sets access_sets;
};

static inline struct cup_process *process_of(struct cup_loader *loader)
{
    return &loader->builder->profile->processes[loader->process];
}

static inline uint32_t string_of(struct cup_loader *loader, uint32_t id)
{
    uint32_t string = cup_id_map_get(&loader->strings, id);
    if (id && !string)
        loader->builder->profile->orphan_records++;
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
        loader->builder->profile->orphan_records++;
    return index == 0 || index == CUP_UNWANTED_TASK ? NULL
                                                    : &loader->builder->profile->tasks[index - 1];
}

/* Handlers of records: load_tasks.c, load_items.c, load_counters.c. */
void cup_load_task_begin(struct cup_loader *loader, const struct cup_record *record);
void cup_load_task_end(struct cup_loader *loader, const struct cup_record *record);
void cup_load_inputs(struct cup_loader *loader, const struct cup_record *record);
void cup_load_item(struct cup_loader *loader, const struct cup_record *record);
void cup_load_chunk(struct cup_loader *loader, const struct cup_record *record);
void cup_load_columns(struct cup_loader *loader, const struct cup_record *record);
void cup_load_chunk_report(struct cup_loader *loader, const struct cup_record *record);
void cup_load_counters(struct cup_loader *loader, const struct cup_record *record);
void cup_load_file_use(struct cup_loader *loader, const struct cup_record *record);

/* Likewise: load_sections.c. */
void cup_load_section(struct cup_loader *loader, const struct cup_record *record);
void cup_load_value(struct cup_loader *loader, const struct cup_record *record);
/* How long an open took: load_opens.c. */
void cup_load_open(struct cup_loader *loader, const struct cup_record *record);
/* Likewise of load_access.c; those that were not told yet are, at the end of the log. */
void cup_load_access(struct cup_loader *loader, const struct cup_record *record);
void cup_load_extents(struct cup_loader *loader, const struct cup_record *record);
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

/* Adds one log to the model: one handler for each type of record. */
#define _POSIX_C_SOURCE 200809L

#include "analysis/log/log_loader.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "analysis/log/log_pairs.h"
#include "analysis/log/log_reader.h"
#include "analysis/log/log_root.h"
#include "analysis/log/log_samples.h"
#include "analysis/profile/own_waits.h"
#include "analysis/profile/visits.h"

#define CUP_BIN_MOST_NS (UINT64_C(100000000) << 20) /* bins of a sound log are not wider */
#define OTHER_SPAN CUP_UNWANTED_TASK

/* What is needed while one log is read. The maps are by the ids of that log. */
struct loader {
    struct cup_builder *builder;
    const struct cup_load_options *options;
    uint32_t span; /* string, a name or an id; 0: all spans */
    const struct cup_log *log;
    uint32_t process; /* index */
    struct cup_clock clock;
    struct cup_id_map strings; /* id in the profile */
    struct cup_id_map files;   /* index + 1 */
    struct cup_id_map servers; /* index + 1 */
    struct cup_id_map columns; /* index + 1 */
    struct cup_id_map tasks;   /* by number: index + 1, or OTHER_SPAN */
    struct cup_id_map threads; /* by tid: 1 for those that ran tasks */
    struct cup_id_map others;  /* by span's id in the profile: 1 if it is among other_spans */
    struct cup_id_map voided;  /* by number: 1 for tasks whose threads served others, too */
    struct cup_visits visits;
    struct cup_own_wait_list own_waits;
    struct cup_sample_loader samples;
    struct cup_root_loader root;
};

static struct cup_process *process_of(struct loader *loader)
{
    return &loader->builder->profile->processes[loader->process];
}

static uint32_t string_of(struct loader *loader, uint32_t id)
{
    uint32_t string = cup_id_map_get(&loader->strings, id);
    if (id && !string)
        loader->builder->profile->orphan_records++;
    return string;
}

/* A time of the log, by the scheduler's clock where that is known. */
static int64_t time_of(const struct loader *loader, int64_t told_ns)
{
    return cup_clock_time(&loader->clock, told_ns);
}

static void saw_time(struct loader *loader, int64_t time_ns)
{
    if (time_ns > process_of(loader)->last_ns)
        process_of(loader)->last_ns = time_ns;
}

/* ---- strings, facts, servers, files ----------------------------------------------------- */

static void on_string(struct loader *loader, const struct cup_record *record)
{
    struct cup_r_string string;
    cup_record_fixed(record, &string, sizeof string);
    size_t tail = cup_record_tail_bytes(record);
    size_t bytes = string.bytes < tail ? string.bytes : tail;
    uint32_t id = cup_builder_string(
        loader->builder, (struct cup_text){(const char *)cup_record_tail(record), bytes});
    cup_builder_map(loader->builder, &loader->strings, string.id, id);
}

static void on_info(struct loader *loader, const struct cup_record *record)
{
    struct cup_r_info info;
    cup_record_fixed(record, &info, sizeof info);
    struct cup_info *entry = CUP_APPEND(loader->builder, infos, info);
    if (entry)
        *entry = (struct cup_info){loader->process, string_of(loader, info.name),
                                   string_of(loader, info.value)};
}

static void on_note(struct loader *loader, const struct cup_record *record)
{
    struct cup_r_note note;
    cup_record_fixed(record, &note, sizeof note);
    struct cup_note *entry = CUP_APPEND(loader->builder, notes, note);
    if (entry)
        *entry = (struct cup_note){loader->process, string_of(loader, note.text)};
}

/* A server is told again when more is known of it: the last record counts. */
static void on_server(struct loader *loader, const struct cup_record *record)
{
    struct cup_r_server server;
    cup_record_fixed(record, &server, sizeof server);
    uint32_t known = cup_id_map_get(&loader->servers, server.id);
    struct cup_server *entry = known ? &loader->builder->profile->servers[known - 1]
                                     : CUP_APPEND(loader->builder, servers, server);
    if (!entry)
        return;
    *entry = (struct cup_server){
        .process = loader->process,
        .role = server.role,
        .address = string_of(loader, server.address),
        .name = string_of(loader, server.name),
        .local_directory = string_of(loader, server.local_directory),
        .threads = server.threads,
        .memory_limit = server.memory_limit,
        .tasks = entry->tasks,
        .digests_complete = entry->digests_complete,
    };
    if (server.role < 32)
        process_of(loader)->roles |= 1u << server.role;
    if (!known)
        cup_builder_map(loader->builder, &loader->servers, server.id,
                        (uint32_t)loader->builder->profile->server_count);
}

static void on_file(struct loader *loader, const struct cup_record *record)
{
    struct cup_r_file file;
    cup_record_fixed(record, &file, sizeof file);
    uint32_t index = cup_builder_file(loader->builder, string_of(loader, file.path));
    if (index == 0)
        return;
    struct cup_file *entry = &loader->builder->profile->files[index - 1];
    entry->class = file.class;
    entry->flags |= file.flags;
    if (file.size > entry->size)
        entry->size = file.size;
    if (entry->last_process != loader->process + 1)
        entry->processes++;
    entry->last_process = loader->process + 1;
    cup_builder_map(loader->builder, &loader->files, file.id, index);
}

/* ---- tasks ------------------------------------------------------------------------------ */

/* Threads that the task started served others, too. Where records were dropped, one that says so
 * may be among them. */
static bool is_voided(const struct loader *loader, uint32_t task)
{
    const uint64_t *health = loader->log->header.health;
    return cup_id_map_get(&loader->voided, task) ||
           (health[CUP_H_THREADS_VOIDED] && health[CUP_H_RECORDS_DROPPED]);
}

static void saw_thread(struct loader *loader, uint32_t tid)
{
    if (cup_id_map_get(&loader->threads, tid))
        return;
    cup_builder_map(loader->builder, &loader->threads, tid, 1);
    process_of(loader)->task_threads++;
}

/* Where the log holds the key, in units of 8 bytes; 0 beyond 32 GiB: the key is then not known. */
static uint32_t key_place(const struct loader *loader)
{
    uint64_t place = loader->log->record_offset / 8;
    return place <= UINT32_MAX ? (uint32_t)place : 0;
}

/* Of a task that has no key: no other process's tasks have the same, whatever the order in which
 * logs are read. */
static uint64_t hash_place(const struct cup_log_header *header, uint32_t task)
{
    char place[sizeof header->host + 64];
    int bytes = snprintf(place, sizeof place, "%.*s %" PRIu32 " %" PRId64 " %" PRIu32,
                         (int)sizeof header->host, header->host, header->pid,
                         header->process_start_ns, task);
    return cup_key_hash((struct cup_text){place, (size_t)bytes});
}

/* Attempts are found by their keys. Keys that are not known, those that the library makes up where
 * there is no Dask, and the names of an actor's methods tell nothing across processes. */
static uint64_t hash_key(const struct loader *loader, const struct cup_record *record)
{
    struct cup_r_task_begin begin;
    cup_record_fixed(record, &begin, sizeof begin);
    size_t tail = cup_record_tail_bytes(record);
    size_t bytes = begin.key_bytes < tail ? begin.key_bytes : tail;
    bool is_key = begin.origin == CUP_ORIGIN_DASK || begin.origin == CUP_ORIGIN_ASYNC;
    if (bytes > 0 && is_key)
        return cup_key_hash((struct cup_text){(const char *)cup_record_tail(record), bytes});
    return hash_place(&loader->log->header, begin.task);
}

/* Strings of the profile; 0: not known. */
struct span {
    uint32_t name, id;
};

static void add_task(struct loader *loader, const struct cup_r_task_begin *begin, struct span span,
                     uint64_t key_hash)
{
    struct cup_task *task = cup_builder_task(loader->builder, loader->options->counters);
    if (!task)
        return;
    *task = (struct cup_task){
        .start_ns = begin->start_ns,
        .cpu_ns = CUP_UNKNOWN64,
        .rss_start = begin->rss,
        .rss_stop = CUP_UNKNOWN64,
        .result_bytes = CUP_UNKNOWN64,
        .key_hash = key_hash,
        .process = loader->process,
        .prefix = cup_builder_prefix(loader->builder, string_of(loader, begin->prefix)),
        .server = cup_id_map_get(&loader->servers, begin->server),
        .span = span.name,
        .span_id = span.id,
        .tid = begin->tid,
        .key_at = key_place(loader),
        .origin = begin->origin & 7,
        .shared = is_voided(loader, begin->task),
        .number = begin->task,
    };
    process_of(loader)->tasks++;
    loader->builder->profile->prefixes[task->prefix].tasks++;
    if (task->server)
        loader->builder->profile->servers[task->server - 1].tasks++;
    cup_builder_map(loader->builder, &loader->tasks, begin->task,
                    (uint32_t)loader->builder->profile->task_count);
}

static bool is_wanted(const struct loader *loader, int64_t start_ns, struct span span)
{
    const struct cup_load_options *options = loader->options;
    bool in_run = options->from_ns == options->to_ns ||
                  (start_ns >= options->from_ns && start_ns < options->to_ns);
    loader->builder->profile->tasks_skipped += !in_run;
    return in_run && (!loader->span || span.name == loader->span || span.id == loader->span);
}

/* A task that is not wanted: its span's fine metrics are not those of wanted tasks alone. */
static void pass_over(struct loader *loader, uint32_t task, struct span span)
{
    cup_builder_map(loader->builder, &loader->tasks, task, OTHER_SPAN);
    if (span.id == 0 || cup_id_map_get(&loader->others, span.id))
        return;
    cup_builder_map(loader->builder, &loader->others, span.id, 1);
    uint32_t *other = CUP_APPEND(loader->builder, other_spans, other_span);
    if (other)
        *other = span.id;
}

static void on_task_begin(struct loader *loader, const struct cup_record *record)
{
    struct cup_r_task_begin begin;
    cup_record_fixed(record, &begin, sizeof begin);
    begin.start_ns = time_of(loader, begin.start_ns);
    struct span span = {string_of(loader, begin.span), string_of(loader, begin.span_id)};
    saw_time(loader, begin.start_ns);
    saw_thread(loader, begin.tid);
    if (is_wanted(loader, begin.start_ns, span))
        add_task(loader, &begin, span, hash_key(loader, record));
    else
        pass_over(loader, begin.task, span);
}

/* The task of that number; NULL if it was not asked for, or its begin is lost (counted). */
static struct cup_task *find_task(struct loader *loader, uint32_t number)
{
    uint32_t index = cup_id_map_get(&loader->tasks, number);
    if (index == 0)
        loader->builder->profile->orphan_records++;
    return index == 0 || index == OTHER_SPAN ? NULL : &loader->builder->profile->tasks[index - 1];
}

static void on_inputs(struct loader *loader, const struct cup_record *record)
{
    struct cup_r_inputs r;
    cup_record_fixed(record, &r, sizeof r);
    size_t tail = cup_record_tail_bytes(record);
    struct cup_text key = {(const char *)cup_record_tail(record),
                           r.key_bytes < tail ? r.key_bytes : tail};
    struct cup_task *task = find_task(loader, r.task);
    struct cup_inputs *inputs = task ? CUP_APPEND(loader->builder, inputs, input) : NULL;
    if (inputs)
        *inputs = (struct cup_inputs){(uint32_t)(task - loader->builder->profile->tasks), r.count,
                                      r.bytes, key.length ? cup_key_hash(key) : 0};
}

/* ---- where tasks' time went ------------------------------------------------------------- */

static bool measures_waits(struct loader *loader)
{
    return (process_of(loader)->header.features & CUP_FEATURE_WAITS) != 0;
}

/* Splits the time of a task that has ended; `own` is NULL where its thread told nothing. Only once,
 * and not without a CPU clock: all the time of an async task would be a wait. */
static void split_time(struct loader *loader, struct cup_task *task,
                       const struct cup_own_waits *own)
{
    static const struct cup_own_waits nothing = {0};
    const struct cup_own_waits *waits = own ? own : &nothing;
    const struct cup_measured_waits *measured = measures_waits(loader) ? &waits->measured : NULL;
    uint64_t wall_ns = cup_task_wall_ns(task);
    if (task->split || !task->status || task->cpu_ns == CUP_UNKNOWN64)
        return;
    task->split = true;
    cup_wait_sums_add_task(&loader->builder->profile->prefixes[task->prefix].waits, wall_ns,
                           task->cpu_ns, measured, waits->major_faults);
    cup_wait_sums_add_task(&process_of(loader)->waits[cup_task_place(task)], wall_ns, task->cpu_ns,
                           measured, waits->major_faults);
}

static bool tells_nothing(const struct cup_own_waits *waits)
{
    uint64_t any = waits->major_faults;
    for (int i = 0; i < CUP_WAITED_MEASURED; i++)
        any |= waits->measured.ns[i];
    return any == 0;
}

/* The block of a task's own thread is written before the task's end, as a rule. */
static void on_own_waits(struct loader *loader, uint32_t number, uint32_t index,
                         const uint64_t counters[CUP_COUNTER_COUNT])
{
    struct cup_profile *profile = loader->builder->profile;
    const struct cup_own_waits waits = {number, cup_measured_waits_of(counters),
                                        counters[CUP_C_MAJOR_FAULTS]};
    if (profile->own_waits)
        cup_measured_waits_add(&profile->own_waits[index], &waits.measured);
    if (!measures_waits(loader) || tells_nothing(&waits))
        return;
    if (profile->tasks[index].status)
        split_time(loader, &profile->tasks[index], &waits);
    else if (cup_own_waits_keep(&loader->own_waits, &waits) != 0)
        loader->builder->out_of_memory = true;
}

static void count_duration(struct loader *loader, const struct cup_task *task)
{
    struct cup_prefix *prefix = &loader->builder->profile->prefixes[task->prefix];
    uint64_t wall_ns = cup_task_wall_ns(task);
    prefix->durations[CUP_DURATION_TASK][cup_bucket(wall_ns)]++;
    if (wall_ns > prefix->longest_task_ns)
        prefix->longest_task_ns = wall_ns;
}

static void task_has_ended(struct loader *loader, struct cup_task *task)
{
    struct cup_own_waits own;
    count_duration(loader, task);
    if (cup_own_waits_take(&loader->own_waits, task->number, &own))
        split_time(loader, task, &own);
}

/* Those whose own thread told nothing, or too late. */
static void split_the_rest(struct loader *loader)
{
    struct cup_profile *profile = loader->builder->profile;
    for (size_t i = process_of(loader)->first_task; i < profile->task_count; i++)
        split_time(loader, &profile->tasks[i], NULL);
}

/* ---- ends ------------------------------------------------------------------------------- */

static void on_task_end(struct loader *loader, const struct cup_record *record)
{
    struct cup_r_task_end end;
    cup_record_fixed(record, &end, sizeof end);
    end.stop_ns = time_of(loader, end.stop_ns);
    saw_time(loader, end.stop_ns);
    struct cup_task *task = find_task(loader, end.task);
    if (!task)
        return;
    bool had_ended = task->status != 0;
    task->status = end.status == CUP_STATUS_FINISHED ? CUP_STATUS_FINISHED : CUP_STATUS_ERRED;
    task->stop_ns = end.stop_ns;
    task->cpu_ns = end.cpu_ns;
    task->rss_stop = end.rss;
    task->result_bytes = end.result_bytes;
    task->error = string_of(loader, end.error);
    if (!had_ended)
        task_has_ended(loader, task);
}

/* The task's item, made at need; NULL without memory. */
static struct cup_item *item_of(struct loader *loader, struct cup_task *task)
{
    if (task->item)
        return &loader->builder->profile->items[task->item - 1];
    struct cup_item *item = CUP_APPEND(loader->builder, items, item);
    if (!item)
        return NULL;
    *item = (struct cup_item){
        .task = (uint32_t)(task - loader->builder->profile->tasks),
        .entry_start = -1,
        .entry_stop = -1,
        .cpu_ns = CUP_UNKNOWN64,
        .requested_bytes = CUP_UNKNOWN64,
        .entries = CUP_UNKNOWN64,
    };
    task->item = (uint32_t)loader->builder->profile->item_count;
    return item;
}

static void on_item(struct loader *loader, const struct cup_record *record)
{
    struct cup_r_item told;
    cup_record_fixed(record, &told, sizeof told);
    struct cup_task *task = find_task(loader, told.task);
    struct cup_item *item = task ? item_of(loader, task) : NULL;
    if (!item)
        return;
    item->kind = told.kind < UINT8_MAX ? (uint8_t)told.kind : UINT8_MAX;
    item->dataset = string_of(loader, told.dataset);
    item->file = string_of(loader, told.file);
    item->tree = string_of(loader, told.tree);
    item->entry_start = told.entry_start;
    item->entry_stop = told.entry_stop;
}

static void on_chunk(struct loader *loader, const struct cup_record *record)
{
    struct cup_r_chunk chunk;
    cup_record_fixed(record, &chunk, sizeof chunk);
    chunk.tic_ns = time_of(loader, chunk.tic_ns);
    chunk.toc_ns = time_of(loader, chunk.toc_ns);
    saw_time(loader, chunk.toc_ns);
    struct cup_task *task = find_task(loader, chunk.task);
    struct cup_item *item = task ? item_of(loader, task) : NULL;
    if (!item)
        return;
    item->tic_ns = chunk.tic_ns;
    item->toc_ns = chunk.toc_ns;
    item->cpu_ns = chunk.cpu_ns;
}

static void on_columns(struct loader *loader, const struct cup_record *record)
{
    struct cup_r_columns columns;
    cup_record_fixed(record, &columns, sizeof columns);
    const unsigned char *tail = cup_record_tail(record);
    size_t told = cup_record_tail_bytes(record) / sizeof(uint32_t);
    size_t first = loader->builder->profile->column_name_count;
    for (size_t i = 0; i < columns.count && i < told; i++) {
        uint32_t id, *name = CUP_APPEND(loader->builder, column_names, column_name);
        if (!name)
            return;
        memcpy(&id, tail + i * sizeof id, sizeof id);
        *name = string_of(loader, id);
    }
    struct cup_column_set *set = CUP_APPEND(loader->builder, column_sets, column_set);
    if (!set)
        return;
    size_t count = loader->builder->profile->column_name_count - first;
    *set = (struct cup_column_set){(uint32_t)first, (uint32_t)count};
    cup_builder_map(loader->builder, &loader->columns, columns.id,
                    (uint32_t)loader->builder->profile->column_set_count);
}

static void on_chunk_report(struct loader *loader, const struct cup_record *record)
{
    struct cup_r_chunk_report told;
    cup_record_fixed(record, &told, sizeof told);
    struct cup_task *task = find_task(loader, told.task);
    struct cup_item *item = task ? item_of(loader, task) : NULL;
    if (!item)
        return;
    item->reported = true;
    item->requested_bytes = told.requested_bytes;
    item->entries = told.entries;
    item->columns = cup_id_map_get(&loader->columns, told.columns);
    if (told.columns && !item->columns)
        loader->builder->profile->orphan_records++;
}

/* ---- children --------------------------------------------------------------------------- */

static void on_parent(struct loader *loader, const struct cup_record *record)
{
    struct cup_r_parent parent;
    struct cup_process *process = process_of(loader);
    cup_record_fixed(record, &parent, sizeof parent);
    process->has_parent = true;
    process->parent_pid = parent.pid;
    process->parent_task = parent.task;
    process->last_read_ns = time_of(loader, parent.last_read_ns);
}

static void on_child(struct loader *loader, const struct cup_record *record)
{
    struct cup_r_child child;
    cup_record_fixed(record, &child, sizeof child);
    struct cup_child *entry = CUP_APPEND(loader->builder, children, child);
    if (entry)
        *entry = (struct cup_child){loader->process, child.pid, child.task,
                                    time_of(loader, child.time_ns)};
}

/* What it says is read beforehand: see runs.h. */
static void on_run(struct loader *loader, const struct cup_record *record)
{
    struct cup_r_run run;
    cup_record_fixed(record, &run, sizeof run);
    saw_time(loader, time_of(loader, run.stop_ns));
    process_of(loader)->roles |= 1u << CUP_ROLE_CLIENT;
}

/* ---- counters --------------------------------------------------------------------------- */

/* The task that a block of KIND is counted for. */
static uint32_t owner_of(const struct loader *loader, uint32_t task, uint32_t kind)
{
    return kind == CUP_BLOCK_INHERITS && is_voided(loader, task) ? 0 : task;
}

/* Where the histograms of the task that a block is counted for are summed up; NULL for none. */
static uint64_t *buckets_of(struct loader *loader, uint32_t owner)
{
    struct cup_profile *profile = loader->builder->profile;
    uint32_t index = owner ? cup_id_map_get(&loader->tasks, owner) : 0;
    if (owner == 0 || index == OTHER_SPAN)
        return NULL;
    uint32_t prefix = index ? profile->tasks[index - 1].prefix : 0;
    return profile->prefixes[prefix].durations[0];
}

/* What an inherited thread read that is nobody's. */
static void take_from_task(uint64_t counters[CUP_COUNTER_COUNT])
{
    counters[CUP_C_READ_NONE_BYTES] += counters[CUP_C_READ_INHERITED_BYTES];
    counters[CUP_C_READ_INHERITED_BYTES] = 0;
}

/* Adds a block's counters to those of a task of the profile. */
static void add_to_task(struct loader *loader, uint32_t number, uint32_t index, uint32_t kind,
                        const uint64_t counters[CUP_COUNTER_COUNT])
{
    struct cup_profile *profile = loader->builder->profile;
    struct cup_task *task = &profile->tasks[index];
    struct cup_prefix *prefix = &profile->prefixes[task->prefix];
    cup_counters_add(prefix->counters, counters);
    for (int way = CUP_C_READ_OWN_BYTES; way <= CUP_C_READ_SOLE_BYTES; way++)
        task->read_bytes += counters[way];
    if (profile->counters)
        cup_counters_add(profile->counters[index], counters);
    if (kind == CUP_BLOCK_RUNS) {
        on_own_waits(loader, number, index, counters);
        return;
    }
    const struct cup_measured_waits helped = cup_measured_waits_of(counters);
    cup_measured_waits_add(&prefix->helper_waits, &helped);
    cup_measured_waits_add(&process_of(loader)->helper_waits, &helped);
}

/* Adds what one thread did for a task (0: for none). */
static void add_block(struct loader *loader, uint32_t task_number, uint32_t kind,
                      uint64_t counters[CUP_COUNTER_COUNT])
{
    struct cup_profile *profile = loader->builder->profile;
    uint32_t number = owner_of(loader, task_number, kind);
    if (number != task_number)
        take_from_task(counters);
    if (number == 0) {
        cup_counters_add(process_of(loader)->without_task, counters);
        return;
    }
    cup_counters_add(process_of(loader)->with_task, counters);
    uint32_t index = cup_id_map_get(&loader->tasks, number);
    if (index == OTHER_SPAN)
        return;
    if (index == 0) {
        profile->orphan_records++;
        cup_counters_add(profile->prefixes[0].counters, counters);
        return;
    }
    add_to_task(loader, number, index - 1, kind, counters);
}

static void on_counters(struct loader *loader, const struct cup_record *record)
{
    struct cup_r_counters block;
    uint64_t counters[CUP_COUNTER_COUNT] = {0};
    cup_record_fixed(record, &block, sizeof block);
    cup_block_pairs_add(cup_record_tail(record), cup_record_tail_bytes(record), counters,
                        buckets_of(loader, owner_of(loader, block.task, block.own)));
    add_block(loader, block.task, block.own, counters);
}

/* Not all tasks were asked for. */
static bool is_selective(const struct loader *loader)
{
    return loader->span || loader->options->from_ns != loader->options->to_ns;
}

/* Where what a task (0: none) did to a file is summed up; NULL if it was not asked for. */
static struct cup_file_sum *sum_for(struct loader *loader, uint32_t number, uint32_t file_id)
{
    uint32_t file = cup_id_map_get(&loader->files, file_id);
    uint32_t task = number ? cup_id_map_get(&loader->tasks, number) : 0;
    if (file == 0) {
        loader->builder->profile->orphan_records++;
        return NULL;
    }
    if (task == OTHER_SPAN || (number == 0 && is_selective(loader)))
        return NULL;
    uint32_t prefix = number == 0 ? CUP_NO_PREFIX
                      : task      ? loader->builder->profile->tasks[task - 1].prefix
                                  : 0;
    struct cup_file_sum *sum = cup_builder_file_sum(loader->builder, file - 1, prefix);
    if (sum && task &&
        cup_visits_add(&loader->visits, task - 1 - process_of(loader)->first_task, file))
        sum->tasks++;
    return sum;
}

static void on_file_use(struct loader *loader, const struct cup_record *record)
{
    struct cup_r_file_use use;
    cup_record_fixed(record, &use, sizeof use);
    struct cup_file_sum *sum = sum_for(loader, owner_of(loader, use.task, use.own), use.file);
    if (sum)
        cup_pairs_add(cup_record_tail(record), cup_record_tail_bytes(record), sum->counters,
                      CUP_FILE_COUNTER_COUNT);
}

static void add_open_buckets(uint64_t *buckets, const struct cup_block *block)
{
    for (int i = 0; buckets && i < CUP_HISTOGRAM_COUNT * CUP_BUCKETS; i++)
        buckets[i] += block->histograms[i / CUP_BUCKETS][i % CUP_BUCKETS];
}

/* What the process had still open when it died, or when we looked. */
static void add_open_block(struct loader *loader, struct cup_open_block *open)
{
    uint32_t owner = owner_of(loader, open->block.task, open->block.own);
    if (!open->written) {
        add_open_buckets(buckets_of(loader, owner), &open->block);
        add_block(loader, open->block.task, open->block.own, open->block.counters);
    }
    for (int i = 0; i < CUP_BLOCK_FILES; i++) {
        const struct cup_file_use *use = &open->block.files[i];
        if (open->file_written[i] || use->file == 0)
            continue;
        struct cup_file_sum *sum = sum_for(loader, owner, use->file);
        if (sum)
            cup_add_all(sum->counters, use->counters, CUP_FILE_COUNTER_COUNT);
    }
}

/* ---- Dask's own state: log_samples.c ---------------------------------------------------- */

static void on_sample(struct loader *loader, const struct cup_record *record)
{
    /* Version 2 told of workers in another way: no samples are better than samples without them. */
    if (loader->log->header.version > 2)
        cup_load_sample(&loader->samples, record, loader->log->record_offset);
}

static void on_rows(struct loader *loader, const struct cup_record *record)
{
    cup_load_rows(&loader->samples, record, loader->log->record_offset);
}

static void on_worker(struct loader *loader, const struct cup_record *record)
{
    cup_load_worker(&loader->samples, record);
}

static void on_status(struct loader *loader, const struct cup_record *record)
{
    cup_load_status(&loader->samples, record);
}

static void on_span(struct loader *loader, const struct cup_record *record)
{
    cup_load_span(&loader->samples, record);
}

static void on_digest_key(struct loader *loader, const struct cup_record *record)
{
    cup_load_digest_key(&loader->samples, record);
}

static void on_digest(struct loader *loader, const struct cup_record *record)
{
    cup_load_digest(&loader->samples, record);
}

/* ---- ROOT files: log_root.c ------------------------------------------------------------- */

static void on_branch(struct loader *loader, const struct cup_record *record)
{
    cup_load_branch(&loader->root, record);
}

static void on_baskets(struct loader *loader, const struct cup_record *record)
{
    cup_load_baskets(&loader->root, record, loader->log->record_offset);
}

static void on_tree(struct loader *loader, const struct cup_record *record)
{
    cup_load_tree(&loader->root, record);
}

static void on_root_file(struct loader *loader, const struct cup_record *record)
{
    cup_load_root_file(&loader->root, record);
}

/* ---- logs ------------------------------------------------------------------------------- */

static void handle(struct loader *loader, const struct cup_record *record)
{
    static void (*const handlers[])(struct loader *, const struct cup_record *) = {
        [CUP_R_STRING] = on_string,
        [CUP_R_FILE] = on_file,
        [CUP_R_INFO] = on_info,
        [CUP_R_SERVER] = on_server,
        [CUP_R_TASK_BEGIN] = on_task_begin,
        [CUP_R_TASK_END] = on_task_end,
        [CUP_R_ITEM] = on_item,
        [CUP_R_CHUNK] = on_chunk,
        [CUP_R_COUNTERS] = on_counters,
        [CUP_R_FILE_USE] = on_file_use,
        [CUP_R_NOTE] = on_note,
        [CUP_R_PARENT] = on_parent,
        [CUP_R_CHILD] = on_child,
        [CUP_R_SAMPLE] = on_sample,
        [CUP_R_ROWS] = on_rows,
        [CUP_R_WORKER] = on_worker,
        [CUP_R_STATUS] = on_status,
        [CUP_R_SPAN] = on_span,
        [CUP_R_DIGEST_KEY] = on_digest_key,
        [CUP_R_DIGEST] = on_digest,
        [CUP_R_COLUMNS] = on_columns,
        [CUP_R_CHUNK_REPORT] = on_chunk_report,
        [CUP_R_RUN] = on_run,
        [CUP_R_INPUTS] = on_inputs,
        [CUP_R_BRANCH] = on_branch,
        [CUP_R_BASKETS] = on_baskets,
        [CUP_R_TREE] = on_tree,
        [CUP_R_ROOT_FILE] = on_root_file,
    };
    if (record->type < sizeof handlers / sizeof *handlers && handlers[record->type])
        handlers[record->type](loader, record);
}

static bool bin_is_empty(const struct cup_series *series, int bin)
{
    uint64_t any = 0;
    for (int row = 0; row < CUP_SERIES_ROOM; row++)
        any |= series->values[row][bin];
    return any == 0;
}

/* A process that was killed was there at least until its series' last bin in use began. */
static void see_series(struct loader *loader, const struct cup_log *log)
{
    struct cup_series series;
    int bin = CUP_SERIES_BINS - 1;
    if (log->header.log_stop_ns || cup_log_series(log, &series) != 0 ||
        series.bin_ns > CUP_BIN_MOST_NS)
        return;
    while (bin >= 0 && bin_is_empty(&series, bin))
        bin--;
    if (bin >= 0)
        saw_time(loader, process_of(loader)->header.log_start_ns + bin * (int64_t)series.bin_ns);
}

static void finish_log(struct loader *loader, const struct cup_log *log)
{
    struct cup_profile *profile = loader->builder->profile;
    profile->logs_read++;
    profile->features |= log->header.features;
    profile->unfinished_records += log->unfinished_records;
    profile->skipped_bytes += log->skipped_bytes;
    for (int i = 0; i < CUP_HEALTH_COUNT; i++)
        profile->health[i] += log->header.health[i];
    if (log->damage.text[0]) {
        profile->logs_damaged++;
        cup_builder_damage(loader->builder, &log->damage);
    }
}

static void read_records(struct loader *loader, struct cup_log *log)
{
    const struct cup_record *record;
    while (!loader->builder->out_of_memory && (record = cup_log_next(log)) != NULL)
        handle(loader, record);
    for (size_t i = 0; i < log->block_count; i++)
        add_open_block(loader, &log->blocks[i]);
    if (!loader->builder->out_of_memory)
        split_the_rest(loader);
}

/* Which tasks' threads served others is said after some of what they did: looked for beforehand, in
 * the few logs that say so. */
static void find_voided(struct loader *loader, const char *path)
{
    struct cup_log log;
    struct cup_error error;
    const struct cup_record *record;
    if (cup_log_open(&log, path, &error) == 0)
        while ((record = cup_log_next(&log)) != NULL) {
            struct cup_r_void r;
            if (record->type != CUP_R_VOID)
                continue;
            cup_record_fixed(record, &r, sizeof r);
            if (cup_id_map_set(&loader->voided, r.task, 1) != 0)
                loader->builder->out_of_memory = true;
        }
    cup_log_close(&log);
}

static void load_log(struct loader *loader, const char *path)
{
    struct cup_log log;
    struct cup_error error;
    if (cup_log_open(&log, path, &error) != 0) {
        loader->builder->profile->logs_unreadable++;
        cup_builder_damage(loader->builder, &error);
        return;
    }
    struct cup_process *process = CUP_APPEND(loader->builder, processes, process);
    if (process) {
        *process = (struct cup_process){
            .log_path = strdup(path), .header = log.header, .clock = loader->clock};
        cup_clock_shift_header(&loader->clock, &process->header);
        process->last_ns = process->header.log_start_ns;
        process->first_task = (uint32_t)loader->builder->profile->task_count;
        process->first_branch = (uint32_t)loader->builder->profile->branch_number_count;
        loader->process = (uint32_t)loader->builder->profile->process_count - 1;
        loader->log = &log;
        loader->samples.process = loader->root.process = loader->process;
        if (log.header.health[CUP_H_THREADS_VOIDED])
            find_voided(loader, path);
        read_records(loader, &log);
        see_series(loader, &log);
        finish_log(loader, &log);
    }
    cup_log_close(&log);
}

static void finish(struct loader *loader)
{
    cup_id_map_clear(&loader->strings);
    cup_id_map_clear(&loader->files);
    cup_id_map_clear(&loader->servers);
    cup_id_map_clear(&loader->columns);
    cup_id_map_clear(&loader->tasks);
    cup_id_map_clear(&loader->threads);
    cup_id_map_clear(&loader->others);
    cup_id_map_clear(&loader->voided);
    cup_visits_clear(&loader->visits);
    cup_own_waits_clear(&loader->own_waits);
    cup_sample_loader_clear(&loader->samples);
    cup_root_loader_clear(&loader->root);
}

void cup_load_log(struct cup_builder *builder, const char *path,
                  const struct cup_load_options *options)
{
    struct loader loader = {.builder = builder, .options = options};
    loader.samples = (struct cup_sample_loader){
        .builder = builder, .strings = &loader.strings, .servers = &loader.servers};
    const char *span = options->span;
    loader.clock = cup_clock_of(options->clocks, path);
    loader.samples.clock = loader.clock;
    if (span)
        loader.span = cup_builder_string(builder, (struct cup_text){span, strlen(span)});
    loader.root = (struct cup_root_loader){.builder = builder,
                                           .selective = is_selective(&loader),
                                           .strings = &loader.strings,
                                           .files = &loader.files,
                                           .tasks = &loader.tasks};
    builder->all_basket_places = options->baskets;
    load_log(&loader, path);
    finish(&loader);
}

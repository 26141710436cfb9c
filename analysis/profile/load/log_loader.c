/* Adds one log to the model: one handler for each type of record. */
#define _POSIX_C_SOURCE 200809L

#include "analysis/profile/load/log_loader.h"

#include <string.h>

#include "analysis/profile/load/loader.h"

#define CUP_BIN_MOST_NS (UINT64_C(100000000) << 20) /* bins of a sound log are not wider */

/* ---- strings, facts, servers, files ----------------------------------------------------- */

static void on_string(struct cup_loader *loader, const struct cup_record *record)
{
    struct cup_r_string string;
    cup_record_fixed(record, &string, sizeof string);
    size_t tail = cup_record_tail_bytes(record);
    size_t bytes = string.bytes < tail ? string.bytes : tail;
    uint32_t id = cup_builder_string(
        loader->builder, (struct cup_text){(const char *)cup_record_tail(record), bytes});
    cup_builder_map(loader->builder, &loader->strings, string.id, id);
}

static void on_info(struct cup_loader *loader, const struct cup_record *record)
{
    struct cup_r_info info;
    cup_record_fixed(record, &info, sizeof info);
    struct cup_info *entry = CUP_APPEND(loader->builder, infos, info);
    if (entry)
        *entry = (struct cup_info){loader->process, string_of(loader, info.name),
                                   string_of(loader, info.value)};
}

static void on_note(struct cup_loader *loader, const struct cup_record *record)
{
    struct cup_r_note note;
    cup_record_fixed(record, &note, sizeof note);
    struct cup_note *entry = CUP_APPEND(loader->builder, notes, note);
    if (entry)
        *entry = (struct cup_note){loader->process, string_of(loader, note.text)};
}

/* A server is told again when more is known of it: the last record counts. */
static void on_server(struct cup_loader *loader, const struct cup_record *record)
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

static void on_file(struct cup_loader *loader, const struct cup_record *record)
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

/* ---- children --------------------------------------------------------------------------- */

static void on_parent(struct cup_loader *loader, const struct cup_record *record)
{
    struct cup_r_parent parent;
    struct cup_process *process = process_of(loader);
    cup_record_fixed(record, &parent, sizeof parent);
    process->has_parent = true;
    process->parent_pid = parent.pid;
    process->parent_task = parent.task;
    process->last_read_ns = time_of(loader, parent.last_read_ns);
}

static void on_child(struct cup_loader *loader, const struct cup_record *record)
{
    struct cup_r_child child;
    cup_record_fixed(record, &child, sizeof child);
    struct cup_child *entry = CUP_APPEND(loader->builder, children, child);
    if (entry)
        *entry = (struct cup_child){loader->process, child.pid, child.task,
                                    time_of(loader, child.time_ns)};
}

/* What it says is read beforehand: see runs.h. */
static void on_run(struct cup_loader *loader, const struct cup_record *record)
{
    struct cup_r_run run;
    cup_record_fixed(record, &run, sizeof run);
    saw_time(loader, time_of(loader, run.stop_ns));
    process_of(loader)->roles |= 1u << CUP_ROLE_CLIENT;
}

/* ---- Dask's own state: log_samples.c ---------------------------------------------------- */

static void on_sample(struct cup_loader *loader, const struct cup_record *record)
{
    /* Version 2 told of workers in another way: no samples are better than samples without them. */
    if (loader->log->header.version > 2)
        cup_load_sample(&loader->samples, record, loader->log->record_offset);
}

static void on_rows(struct cup_loader *loader, const struct cup_record *record)
{
    cup_load_rows(&loader->samples, record, loader->log->record_offset);
}

static void on_worker(struct cup_loader *loader, const struct cup_record *record)
{
    cup_load_worker(&loader->samples, record);
}

static void on_status(struct cup_loader *loader, const struct cup_record *record)
{
    cup_load_status(&loader->samples, record);
}

static void on_span(struct cup_loader *loader, const struct cup_record *record)
{
    cup_load_span(&loader->samples, record);
}

static void on_digest_key(struct cup_loader *loader, const struct cup_record *record)
{
    cup_load_digest_key(&loader->samples, record);
}

static void on_digest(struct cup_loader *loader, const struct cup_record *record)
{
    cup_load_digest(&loader->samples, record);
}

/* ---- ROOT files: log_root.c ------------------------------------------------------------- */

static void on_branch(struct cup_loader *loader, const struct cup_record *record)
{
    cup_load_branch(&loader->root, record);
}

static void on_baskets(struct cup_loader *loader, const struct cup_record *record)
{
    cup_load_baskets(&loader->root, record, loader->log->record_offset);
}

static void on_tree(struct cup_loader *loader, const struct cup_record *record)
{
    cup_load_tree(&loader->root, record);
}

static void on_root_file(struct cup_loader *loader, const struct cup_record *record)
{
    cup_load_root_file(&loader->root, record);
}

/* ---- logs ------------------------------------------------------------------------------- */

static void handle(struct cup_loader *loader, const struct cup_record *record)
{
    static void (*const handlers[])(struct cup_loader *, const struct cup_record *) = {
        [CUP_R_STRING] = on_string,
        [CUP_R_FILE] = on_file,
        [CUP_R_INFO] = on_info,
        [CUP_R_SERVER] = on_server,
        [CUP_R_TASK_BEGIN] = cup_load_task_begin,
        [CUP_R_TASK_END] = cup_load_task_end,
        [CUP_R_ITEM] = cup_load_item,
        [CUP_R_CHUNK] = cup_load_chunk,
        [CUP_R_COUNTERS] = cup_load_counters,
        [CUP_R_FILE_USE] = cup_load_file_use,
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
        [CUP_R_COLUMNS] = cup_load_columns,
        [CUP_R_CHUNK_REPORT] = cup_load_chunk_report,
        [CUP_R_RUN] = on_run,
        [CUP_R_INPUTS] = cup_load_inputs,
        [CUP_R_BRANCH] = on_branch,
        [CUP_R_BASKETS] = on_baskets,
        [CUP_R_TREE] = on_tree,
        [CUP_R_ROOT_FILE] = on_root_file,
        [CUP_R_SECTION] = cup_load_section,
        [CUP_R_VALUE] = cup_load_value,
        [CUP_R_OPEN] = cup_load_open,
        [CUP_R_ACCESS] = cup_load_access,
        [CUP_R_EXTENTS] = cup_load_extents,
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
static void see_series(struct cup_loader *loader, const struct cup_log *log)
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

static void finish_log(struct cup_loader *loader, const struct cup_log *log)
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

static void read_records(struct cup_loader *loader, struct cup_log *log)
{
    const struct cup_record *record;
    while (!loader->builder->out_of_memory && (record = cup_log_next(log)) != NULL)
        handle(loader, record);
    for (size_t i = 0; i < log->block_count; i++)
        cup_load_open_block(loader, &log->blocks[i]);
    cup_load_open_extents(loader);
    if (!loader->builder->out_of_memory)
        cup_load_split_the_rest(loader);
}

/* Which tasks' threads served others is said after some of what they did: looked for beforehand, in
 * the few logs that say so. */
static void find_voided(struct cup_loader *loader, const char *path)
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

static void load_log(struct cup_loader *loader, const char *path)
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

static void finish(struct cup_loader *loader)
{
    cup_id_map_clear(&loader->strings);
    cup_id_map_clear(&loader->files);
    cup_id_map_clear(&loader->open_servers);
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
    cup_access_sets_clear(&loader->access_sets);
}

void cup_load_log(struct cup_builder *builder, const char *path,
                  const struct cup_load_options *options)
{
    struct cup_loader loader = {.builder = builder, .options = options};
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

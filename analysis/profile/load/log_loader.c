/* Reads one log and adds its records to a profile. */
#include "analysis/profile/load/loader.h"

#include <string.h>

#include "analysis/profile/files.h"

#define CUP_BIN_MOST_NS                                                                            \
    (UINT64_C(100000000) << 20) /* the widest bins that a sound log can have                       \
                                 */

/* ---- strings, facts, servers, files ----------------------------------------------------- */

void cup_load_string(struct cup_loader *loader, const struct cup_record *record)
{
    struct cup_r_string string = cup_read_string(record);
    uint32_t id = cup_builder_string(loader->builder, cup_record_text(record, string.bytes));
    cup_builder_map(loader->builder, &loader->strings, string.id, id);
}

void cup_load_info(struct cup_loader *loader, const struct cup_record *record)
{
    struct cup_r_info info = cup_read_info(record);
    struct cup_info *entry = CUP_APPEND(loader->builder, infos, info);
    if (entry)
        *entry = (struct cup_info){loader->process, string_of(loader, info.name),
                                   string_of(loader, info.value)};
    if (entry &&
        cup_text_is(cup_profile_text(profile_of(loader), entry->name), CUP_INFO_PARSL_WORKER))
        process_of(loader)->parsl_worker = entry->value;
}

void cup_load_note(struct cup_loader *loader, const struct cup_record *record)
{
    struct cup_r_note note = cup_read_note(record);
    struct cup_note *entry = CUP_APPEND(loader->builder, notes, note);
    if (entry)
        *entry = (struct cup_note){loader->process, string_of(loader, note.text)};
}

/* A server writes a further record when more is known about it. The last one replaces the others.
 */
void cup_load_server(struct cup_loader *loader, const struct cup_record *record)
{
    struct cup_r_server server = cup_read_server(record);
    uint32_t known = cup_id_map_get(&loader->servers, server.id);
    struct cup_server *entry = known ? &profile_of(loader)->servers[known - 1]
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
        .all_tasks = entry->all_tasks,
        .digests_complete = entry->digests_complete,
    };
    if (server.role < 32)
        process_of(loader)->roles |= 1u << server.role;
    if (server.role == CUP_ROLE_WORKER && server.stop_ns) {
        int64_t tick_ns = time_of(loader, server.stop_ns);
        if (tick_ns > process_of(loader)->worker_tick_ns)
            process_of(loader)->worker_tick_ns = tick_ns;
        note_worker_time(loader, tick_ns);
        note_last_time(loader, tick_ns);
    }
    if (!known)
        cup_builder_map(loader->builder, &loader->servers, server.id,
                        (uint32_t)profile_of(loader)->server_count);
}

void cup_load_file(struct cup_loader *loader, const struct cup_record *record)
{
    struct cup_r_file file = cup_read_file(record);
    uint32_t index = cup_builder_file(loader->builder, string_of(loader, file.path));
    uint32_t mount = file.mount ? string_of(loader, file.mount) : 0;
    if (index == 0)
        return;
    struct cup_file *entry = &profile_of(loader)->files[index - 1];
    entry->class =
        cup_file_class_by_name(file.class, cup_profile_text(profile_of(loader), entry->path));
    entry->flags |= file.flags;
    entry->mount = mount ? mount : entry->mount;
    if (file.size > entry->size)
        entry->size = file.size;
    if (entry->last_process != loader->process + 1)
        entry->processes++;
    entry->last_process = loader->process + 1;
    cup_builder_map(loader->builder, &loader->files, file.id, index);
}

/* ---- children --------------------------------------------------------------------------- */

void cup_load_parent(struct cup_loader *loader, const struct cup_record *record)
{
    struct cup_process *process = process_of(loader);
    struct cup_r_parent parent = cup_read_parent(record);
    process->has_parent = true;
    process->parent_pid = parent.pid;
    process->parent_task = parent.task;
    process->last_read_ns = time_of(loader, parent.last_read_ns);
}

void cup_load_child(struct cup_loader *loader, const struct cup_record *record)
{
    struct cup_r_child child = cup_read_child(record);
    struct cup_child *entry = CUP_APPEND(loader->builder, children, child);
    if (entry)
        *entry = (struct cup_child){loader->process, child.pid, child.task,
                                    time_of(loader, child.time_ns)};
}

/* cup_runs_read() has read the run itself already. Here it only shows that the process is a
 * client, and until when it lived. */
void cup_load_run(struct cup_loader *loader, const struct cup_record *record)
{
    struct cup_r_run run = cup_read_run(record);
    note_last_time(loader, time_of(loader, run.stop_ns));
    process_of(loader)->roles |= 1u << CUP_ROLE_CLIENT;
}

/* ---- dispatch --------------------------------------------------------------------------- */

/* Records that the loader ignores: cup_load_voids() has read VOID; reports that need functions
 * and stacks read them from the logs (analysis/log/log_stacks.h); the header of the log already
 * says what ROOM records say. */
#define READ_ELSEWHERE(name)                                                                       \
    void cup_load_##name(struct cup_loader *loader, const struct cup_record *record)               \
    {                                                                                              \
        (void)loader;                                                                              \
        (void)record;                                                                              \
    }
READ_ELSEWHERE(void)
READ_ELSEWHERE(room)
READ_ELSEWHERE(code)
READ_ELSEWHERE(module)
READ_ELSEWHERE(stacks)
READ_ELSEWHERE(nodes)
READ_ELSEWHERE(stack_use)
READ_ELSEWHERE(cpu_samples)

/* ---- logs ------------------------------------------------------------------------------- */

/* Records of types that this version does not know are skipped. */
static void load_record(struct cup_loader *loader, const struct cup_record *record)
{
    static void (*const loaders[])(struct cup_loader *, const struct cup_record *) = {
#define X(NAME, name, number, bytes, least, tail) [CUP_R_##NAME] = cup_load_##name,
        CUP_RECORDS(X)
#undef X
    };
    if (record->type < sizeof loaders / sizeof *loaders && loaders[record->type])
        loaders[record->type](loader, record);
    if (cup_kept_wants(loader->kept, record->type))
        cup_kept_add(loader->kept, record, loader->log->record_offset);
}

static bool bin_is_empty(const struct cup_series *series, int bin)
{
    uint64_t any = 0;
    for (int row = 0; row < CUP_SERIES_ROOM; row++)
        any |= series->values[row][bin];
    return any == 0;
}

/* A process that was killed was alive at least until the last bin of its time series that is not
 * empty: this is noted as a time of the process. */
static void add_series_time(struct cup_loader *loader, struct cup_log *log)
{
    struct cup_series series;
    int bin = CUP_SERIES_BINS - 1;
    if (log->header.log_stop_ns || cup_log_series(log, &series) != 0 ||
        series.bin_ns > CUP_BIN_MOST_NS)
        return;
    while (bin >= 0 && bin_is_empty(&series, bin))
        bin--;
    if (bin >= 0)
        note_last_time(loader,
                       process_of(loader)->header.log_start_ns + bin * (int64_t)series.bin_ns);
}

static void finish_log(struct cup_loader *loader, const struct cup_log *log)
{
    struct cup_profile *profile = profile_of(loader);
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
    const struct cup_load_options *options = loader->options;
    const struct cup_record *record;
    while (!loader->builder->out_of_memory && (record = cup_log_next(log)) != NULL)
        if (!options->wants || options->wants(options->wants_context, log, record))
            load_record(loader, record);
    for (size_t i = 0; i < log->block_count && !options->wants; i++)
        cup_load_open_block(loader, &log->blocks[i]);
    if (!options->wants)
        cup_load_totals(loader);
    cup_load_open_extents(loader);
    cup_load_read_owners(loader);
    cup_load_voided_bytes_at_log_end(loader);
    if (!loader->builder->out_of_memory)
        cup_load_waits_at_log_end(loader);
    cup_load_own_samples(loader);
}

static void count_unreadable(struct cup_loader *loader, const char *path,
                             const struct cup_error *error)
{
    profile_of(loader)->logs_unreadable++;
    profile_of(loader)->logs_forbidden += cup_log_is_forbidden(path);
    cup_builder_damage(loader->builder, error);
}

static void load_log(struct cup_loader *loader, const char *path)
{
    struct cup_log log;
    struct cup_error error;
    if (cup_log_open(&log, path, &error) != 0) {
        if (log.unopened)
            profile_of(loader)->logs_unopened++;
        else
            count_unreadable(loader, path, &error);
        return;
    }
    struct cup_process *process = CUP_APPEND(loader->builder, processes, process);
    if (process) {
        *process = (struct cup_process){
            .log_path = strdup(path), .header = log.header, .clock = loader->clock};
        cup_clock_shift_header(&loader->clock, &process->header);
        process->last_ns = process->header.log_start_ns;
        process->first_task = (uint32_t)profile_of(loader)->task_count;
        loader->first_sample = profile_of(loader)->sample_count;
        process->first_branch = (uint32_t)profile_of(loader)->branch_number_count;
        loader->process = (uint32_t)profile_of(loader)->process_count - 1;
        loader->log = &log;
        if (log.header.health[CUP_H_THREADS_VOIDED])
            cup_load_voids(loader, path);
        read_records(loader, &log);
        add_series_time(loader, &log);
        finish_log(loader, &log);
    }
    cup_log_close(&log);
}

static void free_loader(struct cup_loader *loader)
{
    cup_id_map_clear(&loader->strings);
    cup_id_map_clear(&loader->files);
    cup_id_map_clear(&loader->open_servers);
    cup_id_map_clear(&loader->servers);
    cup_id_map_clear(&loader->columns);
    cup_id_map_clear(&loader->tasks);
    cup_id_map_clear(&loader->threads);
    cup_id_map_clear(&loader->attempts);
    cup_id_map_clear(&loader->others);
    cup_id_map_clear(&loader->voided);
    cup_starters_clear(&loader->starters);
    cup_visits_clear(&loader->visits);
    cup_own_waits_clear(&loader->own_waits);
    cup_id_map_clear(&loader->sample_rows);
    cup_kept_free(&loader->own_samples);
    cup_id_map_clear(&loader->digests);
    cup_id_map_clear(&loader->branches);
    cup_id_map_clear(&loader->root_files);
    cup_access_sets_clear(&loader->access_sets);
}

void cup_load_log(struct cup_builder *builder, const char *path,
                  const struct cup_load_options *options, struct cup_kept_records *kept)
{
    struct cup_loader loader = {.builder = builder, .options = options, .kept = kept};
    cup_kept_start(&loader.own_samples, CUP_SAMPLE_TYPES);
    const char *span = options->span;
    loader.clock = cup_clock_of(options->clocks, path);
    if (span)
        loader.span = cup_builder_string(builder, (struct cup_text){span, strlen(span)});
    builder->all_basket_places = options->baskets;
    cup_kept_start(kept, options->taker ? options->taker->types : 0);
    load_log(&loader, path);
    free_loader(&loader);
}

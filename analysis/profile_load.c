/* Fills the model from the logs of a directory: one handler for each type of record. */
#define _POSIX_C_SOURCE 200809L

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "analysis/array.h"
#include "analysis/id_map.h"
#include "analysis/log_pairs.h"
#include "analysis/log_reader.h"
#include "analysis/profile.h"
#include "analysis/visits.h"

#define OTHER_SPAN UINT32_MAX /* in loader.tasks: a task that was not asked for */

/* What is needed while logs are read. The maps are those of the log that is being read. */
struct loader {
    struct cup_profile *profile;
    const struct cup_load_options *options;
    uint32_t span;              /* string; 0: all spans */
    struct cup_id_map prefixes; /* by string: index + 1 in profile->prefixes */
    struct cup_id_map paths;    /* by string: index + 1 in profile->files */
    const struct cup_log *log;
    uint32_t process;          /* index */
    size_t first_task;         /* of this log, in profile->tasks */
    struct cup_id_map strings; /* by id in the log: id in the profile */
    struct cup_id_map files;   /* index + 1 */
    struct cup_id_map servers; /* index + 1 */
    struct cup_id_map tasks;   /* by number: index + 1, or OTHER_SPAN */
    struct cup_visits visits;
    struct cup_id_map threads; /* by tid: 1 for those that ran tasks */
    bool out_of_memory;
};

/* Appends a zeroed entry to one of the profile's tables; NULL without memory. */
#define APPEND(loader, entries, entry)                                                             \
    append(loader, &(loader)->profile->entries, &(loader)->profile->entry##_room,                  \
           &(loader)->profile->entry##_count, sizeof *(loader)->profile->entries)

static void *append(struct loader *loader, void *items, size_t *room, size_t *count, size_t size)
{
    char *base;
    if (cup_array_grow(items, room, *count, size) != 0) {
        loader->out_of_memory = true;
        return NULL;
    }
    memcpy(&base, items, sizeof base);
    return memset(base + (*count)++ * size, 0, size);
}

static void map_set(struct loader *loader, struct cup_id_map *map, uint32_t id, uint32_t value)
{
    if (cup_id_map_set(map, id, value) != 0)
        loader->out_of_memory = true;
}

static struct cup_process *process_of(struct loader *loader)
{
    return &loader->profile->processes[loader->process];
}

static uint32_t string_of(struct loader *loader, uint32_t id)
{
    uint32_t string = cup_id_map_get(&loader->strings, id);
    if (id && !string)
        loader->profile->orphan_records++;
    return string;
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
    uint32_t id =
        cup_intern_add(&loader->profile->strings, (const char *)cup_record_tail(record), bytes);
    if (id == 0)
        loader->out_of_memory = true;
    map_set(loader, &loader->strings, string.id, id);
}

static void on_info(struct loader *loader, const struct cup_record *record)
{
    struct cup_r_info info;
    cup_record_fixed(record, &info, sizeof info);
    struct cup_info *entry = APPEND(loader, infos, info);
    if (entry)
        *entry = (struct cup_info){loader->process, string_of(loader, info.name),
                                   string_of(loader, info.value)};
}

static void on_note(struct loader *loader, const struct cup_record *record)
{
    struct cup_r_note note;
    cup_record_fixed(record, &note, sizeof note);
    struct cup_note *entry = APPEND(loader, notes, note);
    if (entry)
        *entry = (struct cup_note){loader->process, string_of(loader, note.text)};
}

/* A server is told again when more is known of it: the last record counts. */
static void on_server(struct loader *loader, const struct cup_record *record)
{
    struct cup_r_server server;
    cup_record_fixed(record, &server, sizeof server);
    uint32_t known = cup_id_map_get(&loader->servers, server.id);
    struct cup_server *entry =
        known ? &loader->profile->servers[known - 1] : APPEND(loader, servers, server);
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
    };
    if (server.role < 32)
        process_of(loader)->roles |= 1u << server.role;
    if (!known)
        map_set(loader, &loader->servers, server.id, (uint32_t)loader->profile->server_count);
}

/* The profile's entry for a path; index + 1, or 0 without memory. */
static uint32_t file_index(struct loader *loader, uint32_t path)
{
    uint32_t known = cup_id_map_get(&loader->paths, path);
    if (known)
        return known;
    struct cup_file *file = APPEND(loader, files, file);
    if (!file)
        return 0;
    file->path = path;
    map_set(loader, &loader->paths, path, (uint32_t)loader->profile->file_count);
    return (uint32_t)loader->profile->file_count;
}

static void on_file(struct loader *loader, const struct cup_record *record)
{
    struct cup_r_file file;
    cup_record_fixed(record, &file, sizeof file);
    uint32_t index = file_index(loader, string_of(loader, file.path));
    if (index == 0)
        return;
    struct cup_file *entry = &loader->profile->files[index - 1];
    entry->class = file.class;
    entry->flags |= file.flags;
    if (file.size > entry->size)
        entry->size = file.size;
    if (entry->last_process != loader->process + 1)
        entry->processes++;
    entry->last_process = loader->process + 1;
    map_set(loader, &loader->files, file.id, index);
}

/* ---- tasks ------------------------------------------------------------------------------ */

static uint32_t prefix_index(struct loader *loader, uint32_t name)
{
    uint32_t known = cup_id_map_get(&loader->prefixes, name);
    if (known)
        return known - 1;
    struct cup_prefix *prefix = APPEND(loader, prefixes, prefix);
    if (!prefix)
        return 0;
    prefix->name = name;
    map_set(loader, &loader->prefixes, name, (uint32_t)loader->profile->prefix_count);
    return (uint32_t)loader->profile->prefix_count - 1;
}

static void saw_thread(struct loader *loader, uint32_t tid)
{
    if (cup_id_map_get(&loader->threads, tid))
        return;
    map_set(loader, &loader->threads, tid, 1);
    process_of(loader)->task_threads++;
}

/* Where the log holds the key, in units of 8 bytes; 0 beyond 32 GiB: the key is then not known. */
static uint32_t key_place(const struct loader *loader)
{
    uint64_t place = loader->log->record_offset / 8;
    return place <= UINT32_MAX ? (uint32_t)place : 0;
}

static int add_counters(struct loader *loader)
{
    struct cup_profile *profile = loader->profile;
    if (!loader->options->counters)
        return 0;
    if (cup_array_grow(&profile->counters, &profile->counter_room, profile->task_count,
                       sizeof *profile->counters) != 0) {
        loader->out_of_memory = true;
        return -1;
    }
    memset(profile->counters[profile->task_count], 0, sizeof *profile->counters);
    return 0;
}

/* Attempts are found by their keys. Keys that are not known, and those that the library makes up
 * where there is no Dask, tell nothing across processes. */
static uint64_t hash_key(const struct loader *loader, const struct cup_record *record)
{
    struct cup_r_task_begin begin;
    cup_record_fixed(record, &begin, sizeof begin);
    size_t tail = cup_record_tail_bytes(record);
    size_t bytes = begin.key_bytes < tail ? begin.key_bytes : tail;
    if (bytes > 0 && begin.origin == CUP_ORIGIN_DASK)
        return cup_key_hash((struct cup_text){(const char *)cup_record_tail(record), bytes});
    const uint32_t place[] = {loader->process, begin.task};
    return cup_key_hash((struct cup_text){(const char *)place, sizeof place});
}

static void add_task(struct loader *loader, const struct cup_r_task_begin *begin, uint32_t span,
                     uint64_t key_hash)
{
    struct cup_task *task = add_counters(loader) == 0 ? APPEND(loader, tasks, task) : NULL;
    if (!task)
        return;
    *task = (struct cup_task){
        .start_ns = begin->start_ns,
        .cpu_ns = CUP_UNKNOWN64,
        .rss_start = begin->rss,
        .rss_stop = CUP_UNKNOWN64,
        .result_bytes = CUP_UNKNOWN64,
        .run_id = begin->run_id,
        .key_hash = key_hash,
        .process = loader->process,
        .prefix = prefix_index(loader, string_of(loader, begin->prefix)),
        .server = cup_id_map_get(&loader->servers, begin->server),
        .span = span,
        .tid = begin->tid,
        .key_at = key_place(loader),
        .origin = (uint8_t)begin->origin,
    };
    process_of(loader)->tasks++;
    loader->profile->prefixes[task->prefix].tasks++;
    if (task->server)
        loader->profile->servers[task->server - 1].tasks++;
    map_set(loader, &loader->tasks, begin->task, (uint32_t)loader->profile->task_count);
}

static void on_task_begin(struct loader *loader, const struct cup_record *record)
{
    struct cup_r_task_begin begin;
    cup_record_fixed(record, &begin, sizeof begin);
    uint32_t span = string_of(loader, begin.span);
    saw_time(loader, begin.start_ns);
    saw_thread(loader, begin.tid);
    if (loader->span && span != loader->span)
        map_set(loader, &loader->tasks, begin.task, OTHER_SPAN);
    else
        add_task(loader, &begin, span, hash_key(loader, record));
}

/* The task of that number; NULL if it was not asked for, or its begin is lost (counted). */
static struct cup_task *find_task(struct loader *loader, uint32_t number)
{
    uint32_t index = cup_id_map_get(&loader->tasks, number);
    if (index == 0)
        loader->profile->orphan_records++;
    return index == 0 || index == OTHER_SPAN ? NULL : &loader->profile->tasks[index - 1];
}

static void on_task_end(struct loader *loader, const struct cup_record *record)
{
    struct cup_r_task_end end;
    cup_record_fixed(record, &end, sizeof end);
    saw_time(loader, end.stop_ns);
    struct cup_task *task = find_task(loader, end.task);
    if (!task)
        return;
    task->status = end.status == CUP_STATUS_FINISHED ? CUP_STATUS_FINISHED : CUP_STATUS_ERRED;
    task->stop_ns = end.stop_ns;
    task->cpu_ns = end.cpu_ns;
    task->rss_stop = end.rss;
    task->result_bytes = end.result_bytes;
    task->error = string_of(loader, end.error);
}

/* The task's item, made at need; NULL without memory. */
static struct cup_item *item_of(struct loader *loader, struct cup_task *task)
{
    if (task->item)
        return &loader->profile->items[task->item - 1];
    struct cup_item *item = APPEND(loader, items, item);
    if (!item)
        return NULL;
    *item = (struct cup_item){
        .task = (uint32_t)(task - loader->profile->tasks),
        .entry_start = -1,
        .entry_stop = -1,
        .cpu_ns = CUP_UNKNOWN64,
    };
    task->item = (uint32_t)loader->profile->item_count;
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
    item->kind = told.kind;
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
    saw_time(loader, chunk.toc_ns);
    struct cup_task *task = find_task(loader, chunk.task);
    struct cup_item *item = task ? item_of(loader, task) : NULL;
    if (!item)
        return;
    item->tic_ns = chunk.tic_ns;
    item->toc_ns = chunk.toc_ns;
    item->cpu_ns = chunk.cpu_ns;
}

/* ---- counters --------------------------------------------------------------------------- */

static void add_all(uint64_t *sums, const uint64_t *values, size_t count)
{
    for (size_t i = 0; i < count; i++)
        sums[i] += values[i];
}

/* Adds what one thread did for a task (0: for none). */
static void add_block(struct loader *loader, uint32_t number, const uint64_t *counters)
{
    struct cup_profile *profile = loader->profile;
    if (number == 0) {
        add_all(process_of(loader)->without_task, counters, CUP_COUNTER_COUNT);
        return;
    }
    add_all(process_of(loader)->with_task, counters, CUP_COUNTER_COUNT);
    uint32_t index = cup_id_map_get(&loader->tasks, number);
    if (index == OTHER_SPAN)
        return;
    if (index == 0) {
        profile->orphan_records++;
        add_all(profile->prefixes[0].counters, counters, CUP_COUNTER_COUNT);
        return;
    }
    struct cup_task *task = &profile->tasks[index - 1];
    add_all(profile->prefixes[task->prefix].counters, counters, CUP_COUNTER_COUNT);
    for (int way = CUP_C_READ_OWN_BYTES; way <= CUP_C_READ_SOLE_BYTES; way++)
        task->read_bytes += counters[way];
    if (profile->counters)
        add_all(profile->counters[index - 1], counters, CUP_COUNTER_COUNT);
}

static void on_counters(struct loader *loader, const struct cup_record *record)
{
    struct cup_r_counters block;
    uint64_t counters[CUP_COUNTER_COUNT] = {0};
    cup_record_fixed(record, &block, sizeof block);
    cup_pairs_add(cup_record_tail(record), cup_record_tail_bytes(record), counters,
                  CUP_COUNTER_COUNT);
    add_block(loader, block.task, counters);
}

/* The file's sum for a prefix, made at need; NULL without memory. */
static struct cup_file_sum *file_sum(struct loader *loader, uint32_t file, uint32_t prefix)
{
    struct cup_profile *profile = loader->profile;
    for (uint32_t at = profile->files[file].first_sum; at; at = profile->file_sums[at - 1].next)
        if (profile->file_sums[at - 1].prefix == prefix)
            return &profile->file_sums[at - 1];
    struct cup_file_sum *sum = APPEND(loader, file_sums, file_sum);
    if (!sum)
        return NULL;
    sum->file = file;
    sum->prefix = prefix;
    sum->next = profile->files[file].first_sum;
    profile->files[file].first_sum = (uint32_t)profile->file_sum_count;
    return sum;
}

/* Where what a task (0: none) did to a file is summed up; NULL if it was not asked for. */
static struct cup_file_sum *sum_for(struct loader *loader, uint32_t number, uint32_t file_id)
{
    uint32_t file = cup_id_map_get(&loader->files, file_id);
    uint32_t task = number ? cup_id_map_get(&loader->tasks, number) : 0;
    if (file == 0) {
        loader->profile->orphan_records++;
        return NULL;
    }
    if (task == OTHER_SPAN || (number == 0 && loader->span))
        return NULL;
    uint32_t prefix = number == 0 ? CUP_NO_PREFIX
                      : task      ? loader->profile->tasks[task - 1].prefix
                                  : 0;
    struct cup_file_sum *sum = file_sum(loader, file - 1, prefix);
    if (sum && task && cup_visits_add(&loader->visits, task - 1 - loader->first_task, file))
        sum->tasks++;
    return sum;
}

static void on_file_use(struct loader *loader, const struct cup_record *record)
{
    struct cup_r_file_use use;
    cup_record_fixed(record, &use, sizeof use);
    struct cup_file_sum *sum = sum_for(loader, use.task, use.file);
    if (sum)
        cup_pairs_add(cup_record_tail(record), cup_record_tail_bytes(record), sum->counters,
                      CUP_FILE_COUNTER_COUNT);
}

/* What the process had still open when it died, or when we looked. */
static void add_open_block(struct loader *loader, const struct cup_open_block *open)
{
    if (!open->written)
        add_block(loader, open->block.task, open->block.counters);
    for (int i = 0; i < CUP_BLOCK_FILES; i++) {
        const struct cup_file_use *use = &open->block.files[i];
        if (open->file_written[i] || use->file == 0)
            continue;
        struct cup_file_sum *sum = sum_for(loader, open->block.task, use->file);
        if (sum)
            add_all(sum->counters, use->counters, CUP_FILE_COUNTER_COUNT);
    }
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
    };
    if (record->type < sizeof handlers / sizeof *handlers && handlers[record->type])
        handlers[record->type](loader, record);
}

static void add_damage(struct loader *loader, const struct cup_error *damage)
{
    struct cup_error *entry = APPEND(loader, damages, damage);
    if (entry)
        *entry = *damage;
}

static void finish_log(struct loader *loader, const struct cup_log *log)
{
    struct cup_profile *profile = loader->profile;
    profile->logs_read++;
    profile->unfinished_records += log->unfinished_records;
    profile->skipped_bytes += log->skipped_bytes;
    for (int i = 0; i < CUP_HEALTH_COUNT; i++)
        profile->health[i] += log->header.health[i];
    if (log->damage.text[0]) {
        profile->logs_damaged++;
        add_damage(loader, &log->damage);
    }
}

static void read_records(struct loader *loader, struct cup_log *log)
{
    const struct cup_record *record;
    while (!loader->out_of_memory && (record = cup_log_next(log)) != NULL)
        handle(loader, record);
    for (size_t i = 0; i < log->block_count; i++)
        add_open_block(loader, &log->blocks[i]);
}

static void load_log(struct loader *loader, const char *path)
{
    struct cup_log log;
    struct cup_error error;
    if (cup_log_open(&log, path, &error) != 0) {
        loader->profile->logs_unreadable++;
        add_damage(loader, &error);
        return;
    }
    struct cup_process *process = APPEND(loader, processes, process);
    if (process) {
        *process = (struct cup_process){.log_path = strdup(path), .header = log.header};
        process->last_ns = log.header.log_start_ns;
        loader->process = (uint32_t)loader->profile->process_count - 1;
        loader->first_task = loader->profile->task_count;
        loader->log = &log;
        read_records(loader, &log);
        finish_log(loader, &log);
    }
    cup_log_close(&log);
}

static void forget_log(struct loader *loader)
{
    cup_id_map_clear(&loader->strings);
    cup_id_map_clear(&loader->files);
    cup_id_map_clear(&loader->servers);
    cup_id_map_clear(&loader->tasks);
    cup_id_map_clear(&loader->threads);
    cup_visits_reset(&loader->visits);
}

/* ---- the directory ---------------------------------------------------------------------- */

struct names {
    char **names; /* owned, with what they point to */
    size_t count, room;
};

static bool is_log_name(const char *name)
{
    size_t length = strlen(name), suffix = strlen(CUP_LOG_SUFFIX);
    return name[0] != '.' && length > suffix && strcmp(name + length - suffix, CUP_LOG_SUFFIX) == 0;
}

static void free_names(struct names *names)
{
    for (size_t i = 0; i < names->count; i++)
        free(names->names[i]);
    free(names->names);
}

/* "DIRECTORY/NAME", allocated. */
static char *join(const char *directory, const char *name)
{
    size_t bytes = strlen(directory) + strlen(name) + 2;
    char *path = malloc(bytes);
    if (path)
        snprintf(path, bytes, "%s/%s", directory, name);
    return path;
}

static int add_name(struct names *names, const char *directory, const char *name)
{
    if (cup_array_grow(&names->names, &names->room, names->count, sizeof *names->names) != 0 ||
        !(names->names[names->count] = join(directory, name)))
        return -1;
    names->count++;
    return 0;
}

static int by_name(const void *left, const void *right)
{
    return strcmp(*(char *const *)left, *(char *const *)right);
}

static int cannot_open(const char *directory, struct cup_error *error)
{
    if (errno == ENOENT)
        return cup_error_set(error, directory, CUP_NO_OFFSET,
                             "no such profile directory; name one, or make one with "
                             "`cupping run -- COMMAND`");
    if (errno == ENOTDIR)
        return cup_error_set(error, directory, CUP_NO_OFFSET,
                             "not a directory; name the profile directory (`cupping dump` shows "
                             "a single log)");
    return cup_error_system(error, directory, "open the profile directory");
}

static int list_logs(const char *directory, struct names *names, struct cup_error *error)
{
    DIR *stream = opendir(directory);
    if (!stream)
        return cannot_open(directory, error);
    int result = 0;
    for (struct dirent *entry; result == 0 && (entry = readdir(stream)) != NULL;)
        if (is_log_name(entry->d_name) && add_name(names, directory, entry->d_name) != 0)
            result = cup_error_memory(error, directory);
    closedir(stream);
    if (result == 0 && names->count == 0)
        return cup_error_set(error, directory, CUP_NO_OFFSET,
                             "holds no logs (*" CUP_LOG_SUFFIX "); either nothing that ran under "
                             "`cupping run` ran a task, or the library was not loaded there");
    if (names->count)
        qsort(names->names, names->count, sizeof *names->names, by_name);
    return result;
}

/* ---- all of it -------------------------------------------------------------------------- */

static int start(struct loader *loader, const char *directory)
{
    struct cup_profile *profile = loader->profile;
    const char *span = loader->options->span;
    profile->path = strdup(directory);
    prefix_index(loader, 0);
    if (span)
        loader->span = cup_intern_add(&profile->strings, span, strlen(span));
    return profile->path && !loader->out_of_memory && (!span || loader->span) ? 0 : -1;
}

static int check_result(const struct loader *loader, struct cup_error *error)
{
    const struct cup_profile *profile = loader->profile;
    if (loader->out_of_memory)
        return cup_error_memory(error, profile->path);
    if (profile->logs_read > 0)
        return 0;
    if (profile->logs_unreadable == 1) {
        *error = profile->damages[0];
        return -1;
    }
    return cup_error_set(error, profile->path, CUP_NO_OFFSET,
                         "none of its %llu logs can be read; the first: %s",
                         (unsigned long long)profile->logs_unreadable, profile->damages[0].text);
}

static int load_all(struct loader *loader, const char *directory, struct cup_error *error)
{
    struct names names = {0};
    if (list_logs(directory, &names, error) != 0) {
        free_names(&names);
        return -1;
    }
    bool started = start(loader, directory) == 0;
    for (size_t i = 0; started && !loader->out_of_memory && i < names.count; i++) {
        load_log(loader, names.names[i]);
        forget_log(loader);
    }
    free_names(&names);
    return started ? check_result(loader, error) : cup_error_memory(error, directory);
}

int cup_profile_load(struct cup_profile *profile, const char *directory,
                     const struct cup_load_options *options, struct cup_error *error)
{
    *profile = (struct cup_profile){0};
    struct loader loader = {.profile = profile, .options = options};
    int result = load_all(&loader, directory, error);
    forget_log(&loader);
    cup_visits_clear(&loader.visits);
    cup_id_map_clear(&loader.prefixes);
    cup_id_map_clear(&loader.paths);
    if (result != 0)
        cup_profile_free(profile);
    return result;
}

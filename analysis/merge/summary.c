/* A log is read four times: for the tasks that must be kept, for all tasks, for those to sum up,
 * and to copy the records of the others. If its process may still write it, a copy is read. */
#include "analysis/merge/summary.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "analysis/base/array.h"
#include "analysis/log/log_stacks.h"
#include "analysis/merge/kept_tasks.h"
#include "analysis/merge/sources.h"
#include "analysis/merge/task_groups.h"
#include "analysis/metrics/sums/budget.h"
#include "analysis/profile/load/loader.h"
#include "analysis/profile/sum_fields.h"
#include "analysis/write/temporary.h"
#include "include/log_pairs.h"

struct summary {
    const struct cup_summary_request *request;
    const char *path;           /* of the log, or of a copy that does not change */
    struct cup_id_map kept;     /* by number of a task */
    struct cup_id_map summed;   /* by number of a task */
    struct cup_id_map servers;  /* by index + 1: number of the SERVER record */
    struct cup_profile all;     /* all tasks */
    struct cup_profile profile; /* the tasks to sum up */
    struct cup_task_groups groups;
    struct cup_id_map with_stacks; /* by number of a summed task: 1 if it used a stack */
    struct cup_hash_map use_at;    /* by node, use and group: index + 1 in uses */
    struct stack_use *uses;        /* owned */
    size_t use_count, use_room;

    FILE *out;
    uint64_t at; /* bytes written */
    struct cup_log_header header;
    uint32_t last_string;      /* largest id of a string in the log */
    struct cup_id_map strings; /* by id in `profile`: id in the log that is written */
    bool out_of_memory;
};

struct stack_use {
    uint32_t group;
    struct cup_stack_use_row row;
};

/* ---- tasks ---------------------------------------------------------------------------------- */

/* Whose record it is: a number that follows the head. Returns false for other types of records. */
static bool is_of_a_task(const struct cup_record *record, uint32_t *task)
{
    switch (record->type) {
    case CUP_R_TASK_BEGIN:
    case CUP_R_TASK_END:
    case CUP_R_ITEM:
    case CUP_R_CHUNK:
    case CUP_R_COUNTERS:
    case CUP_R_FILE_USE:
    case CUP_R_CHUNK_REPORT:
    case CUP_R_INPUTS:
    case CUP_R_BASKETS:
    case CUP_R_ACCESS:
    case CUP_R_STACK_USE:
    case CUP_R_SECTION:
    case CUP_R_VALUE:
    case CUP_R_OPEN:
    case CUP_R_OPENS:
    case CUP_R_REQUESTS:
    case CUP_R_UNATTRIBUTED:
        *task = cup_read_void(record).task;
        return true;
    default:
        return false;
    }
}

static bool is_summed(const struct summary *summary, uint32_t task)
{
    return cup_id_map_get(&summary->summed, task) != 0;
}

static void set(struct summary *summary, struct cup_id_map *map, uint32_t id, uint32_t value)
{
    if (cup_id_map_set(map, id, value) != 0)
        summary->out_of_memory = true;
}

/* Tasks whose records refer to what stays in the log. */
static void note_record(struct summary *summary, const struct cup_record *record, uint32_t *servers,
                        struct cup_id_map *known)
{
    if (record->type == CUP_R_VOID)
        set(summary, &summary->kept, cup_read_void(record).task, 1);
    if (record->type == CUP_R_CHILD)
        set(summary, &summary->kept, cup_read_child(record).task, 1);
    if (record->type == CUP_R_EXTENTS)
        set(summary, &summary->kept, cup_read_extents(record).task, 1);
    if (record->type != CUP_R_SERVER || cup_id_map_get(known, cup_read_server(record).id))
        return;
    set(summary, known, cup_read_server(record).id, 1);
    set(summary, &summary->servers, ++*servers, cup_read_server(record).id);
}

/* Sums are only right if every record of a task is there. */
static bool is_sound(const struct cup_log *log)
{
    return log->damage.text[0] == '\0' && !log->totals && log->header.version >= CUP_LOG_SERVERS &&
           !cup_log_is_summed(&log->header) && !cup_log_lacks_voids(log);
}

/* Returns 1, 0 if the log has to stay as it is, or -1 and *error. */
static int read_notes(struct summary *summary, struct cup_error *error)
{
    struct cup_log log;
    struct cup_id_map known = {0};
    const struct cup_record *record;
    uint32_t servers = 0;
    if (cup_log_open(&log, summary->path, error) != 0) {
        cup_log_close(&log);
        return 0;
    }
    for (size_t i = 0; i < log.block_count; i++)
        set(summary, &summary->kept, log.blocks[i].block.task, 1);
    while ((record = cup_log_next(&log)) != NULL)
        note_record(summary, record, &servers, &known);
    uint64_t tasks = log.header.health[CUP_H_TASKS_BEGUN];
    int result = tasks > 0 && is_sound(&log);
    uint64_t bytes = tasks * (2 * sizeof(struct cup_task) + 2 * sizeof(struct cup_item) + 64);
    if (result && bytes > summary->request->memory)
        result =
            cup_error_set(error, summary->request->path, CUP_NO_OFFSET,
                          "it has %llu tasks: to sum them up takes --memory %llu",
                          (unsigned long long)tasks, (unsigned long long)(2 * bytes / 1000000 + 1));
    cup_id_map_clear(&known);
    cup_log_close(&log);
    return result;
}

/* ---- profiles ------------------------------------------------------------------------------- */

static bool is_any(const void *context, const struct cup_log *log, const struct cup_record *record)
{
    (void)context, (void)log, (void)record;
    return true;
}

/* Records of tasks to sum up, and what they refer to. */
static bool is_to_sum(const void *context, const struct cup_log *log,
                      const struct cup_record *record)
{
    const struct summary *summary = context;
    uint32_t task;
    (void)log;
    if (is_of_a_task(record, &task))
        return is_summed(summary, task);
    return record->type == CUP_R_STRING || record->type == CUP_R_FILE ||
           record->type == CUP_R_SERVER || record->type == CUP_R_COLUMNS ||
           record->type == CUP_R_BRANCH;
}

/* Returns 0, or -1 without memory. */
static int load(struct summary *summary, struct cup_profile *profile,
                bool (*wants)(const void *, const struct cup_log *, const struct cup_record *))
{
    const struct cup_load_options options = {.wants = wants, .wants_context = summary};
    struct cup_kept_records none = {0};
    struct cup_builder builder;
    cup_builder_start(&builder, profile);
    builder.profile->path = strdup(summary->path);
    cup_load_log(&builder, summary->path, &options, &none);
    bool failed = builder.out_of_memory || !profile->path;
    cup_builder_finish(&builder);
    return failed ? -1 : 0;
}

/* ---- writing -------------------------------------------------------------------------------- */

static void write_bytes(struct summary *summary, const void *bytes, size_t count)
{
    fwrite(bytes, 1, count, summary->out);
    summary->at += count;
}

static void write_record(struct summary *summary, void *fixed, uint16_t type, size_t fixed_bytes,
                         const void *tail, size_t tail_bytes)
{
    static const unsigned char zeros[8];
    size_t length = (fixed_bytes + tail_bytes + 7) & ~(size_t)7;
    struct cup_record head = {(uint32_t)length, type, (uint16_t)fixed_bytes};
    memcpy(fixed, &head, sizeof head);
    write_bytes(summary, fixed, fixed_bytes);
    write_bytes(summary, tail, tail_bytes);
    write_bytes(summary, zeros, length - fixed_bytes - tail_bytes);
}

/* The id, in the log that is written, of a string of the profile. */
static uint32_t write_string(struct summary *summary, uint32_t string)
{
    uint32_t known = cup_id_map_get(&summary->strings, string);
    struct cup_text text = cup_profile_text(&summary->profile, string);
    if (known || string == 0)
        return known;
    struct cup_r_string record = {.id = ++summary->last_string, .bytes = (uint32_t)text.length};
    write_record(summary, &record, CUP_R_STRING, sizeof record, text.bytes, text.length);
    set(summary, &summary->strings, string, record.id);
    return record.id;
}

/* Nothing is written of an entry whose numbers all are 0. */
static void write_sum(struct summary *summary, enum cup_sum_kind kind, const void *entry,
                      const uint32_t *ids, size_t count)
{
    unsigned char pairs[CUP_SUM_ROOM];
    size_t bytes = cup_sum_write(kind, entry, pairs);
    struct cup_r_sum sum = {.of = kind};
    memcpy(sum.ids, ids, count * sizeof *ids);
    if (bytes)
        write_record(summary, &sum, CUP_R_SUM, sizeof sum, pairs, bytes);
}
#define WRITE_SUM(summary, kind, entry, ...)                                                       \
    write_sum(summary, kind, entry, (const uint32_t[]){__VA_ARGS__},                               \
              sizeof((const uint32_t[]){__VA_ARGS__}) / sizeof(uint32_t))

/* ---- sums ----------------------------------------------------------------------------------- */

static void set_times(struct cup_process_sum *sum, const struct cup_task_groups *groups)
{
    for (size_t i = 0; i < groups->count; i++) {
        int64_t first_ns = (int64_t)groups->groups[i].values[CUP_T_FIRST_NS];
        int64_t last_ns = (int64_t)groups->groups[i].values[CUP_T_LAST_START_NS];
        if (i == 0 || first_ns < sum->first_ns)
            sum->first_ns = first_ns;
        if (i == 0 || last_ns > sum->last_start_ns)
            sum->last_start_ns = last_ns;
    }
}

/* Returns 0, or -1 without memory. */
static int write_process(struct summary *summary)
{
    static const struct cup_stretch always = {0, INT64_MAX};
    const struct cup_process *process = &summary->profile.processes[0];
    struct cup_budget budget = {0};
    if (cup_budgets_make(&budget, &summary->all, always) != 0)
        return -1;
    struct cup_process_sum sum = {
        .tasks = summary->profile.task_count,
        .kept = summary->all.task_count - summary->profile.task_count,
        .threads = summary->all.processes[0].task_threads,
        .gaps = budget.gaps,
        .between_ns = budget.ns[CUP_BUDGET_BETWEEN],
        .helper_waits = process->helper_waits,
    };
    set_times(&sum, &summary->groups);
    memcpy(sum.with_task, process->with_task, sizeof sum.with_task);
    memcpy(sum.waits, process->waits, sizeof sum.waits);
    WRITE_SUM(summary, CUP_SUM_PROCESS, &sum, 0);
    return 0;
}

static int by_value(const void *left, const void *right)
{
    uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;
    return (a > b) - (a < b);
}

/* The keys of tasks with work items tell later which of them were done again in other processes.
 * Returns 0, or -1 without memory. */
static int write_keys(struct summary *summary)
{
    enum { AT_ONCE = 1 << 14 };
    const struct cup_profile *profile = &summary->profile;
    uint64_t *keys = malloc((profile->item_count + 1) * sizeof *keys);
    if (!keys)
        return -1;
    for (size_t i = 0; i < profile->item_count; i++)
        keys[i] = profile->tasks[profile->items[i].task].key_hash;
    qsort(keys, profile->item_count, sizeof *keys, by_value);
    for (size_t i = 0; i < profile->item_count; i += AT_ONCE) {
        struct cup_r_sum sum = {.of = CUP_SUM_KEYS};
        size_t left = profile->item_count - i, count = left < AT_ONCE ? left : AT_ONCE;
        write_record(summary, &sum, CUP_R_SUM, sizeof sum, keys + i, count * sizeof *keys);
    }
    free(keys);
    return 0;
}

static void write_prefixes(struct summary *summary)
{
    const struct cup_profile *profile = &summary->profile;
    for (size_t i = 0; i < profile->prefix_count; i++)
        WRITE_SUM(summary, CUP_SUM_PREFIX, &profile->prefixes[i],
                  write_string(summary, profile->prefixes[i].name));
}

static uint32_t prefix_of(struct summary *summary, uint32_t prefix)
{
    return write_string(summary, summary->profile.prefixes[prefix].name);
}

static void write_groups(struct summary *summary)
{
    for (size_t i = 0; i < summary->groups.count; i++) {
        const struct cup_task_sum *sum = &summary->groups.groups[i];
        WRITE_SUM(summary, CUP_SUM_TASKS, sum, prefix_of(summary, sum->prefix),
                  write_string(summary, sum->span), write_string(summary, sum->span_id),
                  write_string(summary, sum->dataset), sum->server, sum->what, sum->number);
    }
}

static void write_files(struct summary *summary)
{
    const struct cup_profile *profile = &summary->profile;
    for (size_t i = 0; i < profile->file_sum_count; i++) {
        const struct cup_file_sum *sum = &profile->file_sums[i];
        WRITE_SUM(summary, CUP_SUM_FILE, sum, write_string(summary, profile->files[sum->file].path),
                  prefix_of(summary, sum->prefix));
    }
}

static void write_opens(struct summary *summary)
{
    const struct cup_profile *profile = &summary->profile;
    for (size_t i = 0; i < profile->open_count; i++)
        WRITE_SUM(summary, CUP_SUM_OPENS, &profile->opens[i],
                  write_string(summary, profile->opens[i].server), profile->opens[i].kind);
}

static bool is_same_request(const struct cup_request_row *a, const struct cup_request_row *b)
{
    return a->server == b->server && a->file == b->file && a->error == b->error;
}

static int by_server_and_file(const void *left, const void *right)
{
    const struct cup_request_row *a = left, *b = right;
    if (a->server != b->server)
        return a->server < b->server ? -1 : 1;
    if (a->file != b->file)
        return a->file < b->file ? -1 : 1;
    return (a->error > b->error) - (a->error < b->error);
}

static void add_request(struct cup_request_row *sum, const struct cup_request_row *row)
{
    if (row->start_ns < sum->start_ns)
        sum->start_ns = row->start_ns;
    if (row->stop_ns > sum->stop_ns)
        sum->stop_ns = row->stop_ns;
    cup_request_values_add(sum->values, row->values);
}

static void write_request(struct summary *summary, const struct cup_request_row *sum)
{
    uint32_t path = sum->file ? summary->profile.files[sum->file - 1].path : 0;
    WRITE_SUM(summary, CUP_SUM_REQUEST, sum, write_string(summary, sum->server),
              write_string(summary, path), sum->error);
}

static void write_requests(struct summary *summary)
{
    struct cup_profile *profile = &summary->profile;
    struct cup_request_row *rows = profile->requests, *sum = rows;
    for (size_t i = 0; i < profile->request_sum_count; i++)
        WRITE_SUM(summary, CUP_SUM_REQUESTS, &profile->request_sums[i],
                  write_string(summary, profile->request_sums[i].server));
    if (profile->request_count == 0)
        return;
    qsort(rows, profile->request_count, sizeof *rows, by_server_and_file);
    for (size_t i = 1; i < profile->request_count; i++) {
        if (is_same_request(sum, &rows[i])) {
            add_request(sum, &rows[i]);
            continue;
        }
        write_request(summary, sum);
        sum = &rows[i];
    }
    write_request(summary, sum);
}

static void write_branches(struct summary *summary)
{
    const struct cup_profile *profile = &summary->profile;
    for (size_t i = 0; i < profile->branch_count; i++)
        WRITE_SUM(summary, CUP_SUM_BRANCH, &profile->branches[i],
                  write_string(summary, profile->branches[i].tree),
                  write_string(summary, profile->branches[i].name));
    for (size_t i = 0; i < profile->root_file_count; i++)
        WRITE_SUM(summary, CUP_SUM_ROOT_FILE, &profile->root_files[i],
                  write_string(summary, profile->root_files[i].path));
}

static void write_sections(struct summary *summary)
{
    const struct cup_profile *profile = &summary->profile;
    for (size_t i = 0; i < profile->section_count; i++) {
        const struct cup_section *section = &profile->sections[i];
        WRITE_SUM(summary, CUP_SUM_SECTION, section, write_string(summary, section->name),
                  write_string(summary, section->parent), prefix_of(summary, section->prefix));
    }
    for (size_t i = 0; i < profile->named_value_count; i++) {
        const struct cup_named_value *value = &profile->named_values[i];
        WRITE_SUM(summary, CUP_SUM_VALUE, value, write_string(summary, value->name),
                  prefix_of(summary, value->prefix));
    }
}

/* ---- stacks --------------------------------------------------------------------------------- */

/* Different uses may have the same key: then later ones are at the next numbers. */
static uint64_t use_key(uint32_t group, const struct cup_stack_use_row *row)
{
    return (uint64_t)group << 48 ^ (uint64_t)row->use << 32 ^ row->node;
}

static struct stack_use *use_of(struct summary *summary, uint32_t group,
                                const struct cup_stack_use_row *row)
{
    uint32_t *at;
    for (uint64_t key = use_key(group, row); (at = cup_hash_map_put(&summary->use_at, key)) && *at;
         key++) {
        struct stack_use *use = &summary->uses[*at - 1];
        if (use->group == group && use->row.node == row->node && use->row.use == row->use)
            return use;
    }
    if (!at || cup_array_grow(&summary->uses, &summary->use_room, summary->use_count,
                              sizeof *summary->uses) != 0) {
        summary->out_of_memory = true;
        return NULL;
    }
    summary->uses[summary->use_count] = (struct stack_use){group, {row->node, row->use, 0, 0, 0}};
    *at = (uint32_t)++summary->use_count;
    return &summary->uses[*at - 1];
}

static void add_stack_use(struct summary *summary, const struct cup_record *record)
{
    struct cup_stack_use_reader reader;
    cup_stack_use_start(&reader, record);
    uint32_t task = reader.fixed.task, group = cup_id_map_get(&summary->groups.of_task, task);
    if (group == 0) /* records that are damaged */
        return;
    if (!cup_id_map_get(&summary->with_stacks, task)) {
        set(summary, &summary->with_stacks, task, 1);
        summary->groups.groups[group - 1].values[CUP_T_WITH_STACKS]++;
    }
    while (cup_stack_use_next(&reader)) {
        struct stack_use *use = use_of(summary, group, &reader.row);
        if (!use)
            return;
        use->row.count += reader.row.count;
        use->row.bytes += reader.row.bytes;
        use->row.ns += reader.row.ns;
    }
}

static int by_group_and_node(const void *left, const void *right)
{
    const struct stack_use *a = left, *b = right;
    if (a->group != b->group)
        return a->group < b->group ? -1 : 1;
    if (a->row.node != b->row.node)
        return a->row.node < b->row.node ? -1 : 1;
    return (a->row.use > b->row.use) - (a->row.use < b->row.use);
}

/* Writes the uses of one group from FIRST on, until the record is full. Returns their number. */
static size_t write_uses_from(struct summary *summary, size_t first)
{
    enum { ROOM = 1 << 16 };
    unsigned char tail[ROOM], *at = tail;
    const struct stack_use *use = &summary->uses[first];
    struct cup_r_stack_use fixed = {.task = summary->groups.groups[use->group - 1].number};
    uint32_t rows = 0;
    for (; first + rows < summary->use_count && use->group == summary->uses[first].group &&
           at + CUP_USE_ROW_LONGEST < tail + ROOM;
         rows++, use++)
        at += cup_use_row_code(at, &use->row, rows ? &use[-1].row : NULL);
    fixed.rows = rows | CUP_USE_ROWS_SHORT;
    write_record(summary, &fixed, CUP_R_STACK_USE, sizeof fixed, tail, (size_t)(at - tail));
    return rows;
}

static void write_uses(struct summary *summary)
{
    if (summary->use_count)
        qsort(summary->uses, summary->use_count, sizeof *summary->uses, by_group_and_node);
    for (size_t i = 0; i < summary->use_count;)
        i += write_uses_from(summary, i);
}

/* ---- records -------------------------------------------------------------------------------- */

/* A region in a ROOM record moves with it. */
static void move_region(struct summary *summary, const struct cup_log *log, uint32_t length)
{
    for (uint32_t i = 0; i < summary->header.region_count; i++) {
        const struct cup_region *region = &log->header.regions[i];
        if (region->offset > log->record_offset && region->offset < log->record_offset + length)
            summary->header.regions[i].offset = region->offset - log->record_offset + summary->at;
    }
}

/* Samples and single reads of many tasks stand in one record; without most of these tasks they say
 * little. */
static void copy_record(struct summary *summary, const struct cup_log *log,
                        const struct cup_record *record)
{
    uint32_t task;
    bool summed = is_of_a_task(record, &task) && is_summed(summary, task);
    if (summed && record->type == CUP_R_STACK_USE)
        add_stack_use(summary, record);
    if (summed || record->type == CUP_R_CPU_SAMPLES || record->type == CUP_R_READS)
        return;
    if (record->type == CUP_R_STRING && cup_read_string(record).id > summary->last_string)
        summary->last_string = cup_read_string(record).id;
    if (record->type == CUP_R_ROOM)
        move_region(summary, log, record->length);
    write_bytes(summary, record, record->length);
}

/* Header and regions come first. Returns 0, or -1 and *error. */
static int copy_head(struct summary *summary, struct cup_log *log, struct cup_error *error)
{
    size_t count = log->header.records_offset;
    char *head = malloc(count);
    int result = head ? 0 : cup_error_memory(error, log->path);
    if (head && cup_log_bytes_read(&log->bytes, head, count, 0) != count)
        result = cup_error_set(error, log->path, CUP_NO_OFFSET, "it has become shorter");
    if (result == 0) {
        memcpy(&summary->header, head, sizeof summary->header);
        write_bytes(summary, head, count);
    }
    free(head);
    return result;
}

static void write_unfinished(struct summary *summary, uint64_t count)
{
    static const struct cup_record unfinished = {.length = sizeof unfinished};
    for (uint64_t i = 0; i < count; i++)
        write_bytes(summary, &unfinished, sizeof unfinished);
}

static int write_sums(struct summary *summary)
{
    if (write_process(summary) != 0 || write_keys(summary) != 0)
        return -1;
    write_prefixes(summary);
    write_groups(summary);
    write_files(summary);
    write_opens(summary);
    write_requests(summary);
    write_branches(summary);
    write_sections(summary);
    write_uses(summary);
    return 0;
}

static void write_header(struct summary *summary)
{
    summary->header.version = summary->header.min_reader = CUP_LOG_SUMMED;
    summary->header.records_end = summary->at;
    if (fseek(summary->out, 0, SEEK_SET) == 0)
        fwrite(&summary->header, 1, sizeof summary->header, summary->out);
}

/* Returns 0, or -1 and *error. */
static int write_log(struct summary *summary, struct cup_error *error)
{
    struct cup_log log;
    const struct cup_record *record;
    int result = cup_log_open(&log, summary->path, error);
    if (result == 0)
        result = copy_head(summary, &log, error);
    while (result == 0 && (record = cup_log_next(&log)) != NULL)
        copy_record(summary, &log, record);
    if (result == 0)
        write_unfinished(summary, log.unfinished_records);
    cup_log_close(&log);
    if (result != 0)
        return -1;
    if (write_sums(summary) != 0 || summary->out_of_memory)
        return cup_error_memory(error, summary->request->path);
    write_header(summary);
    return 0;
}

/* ---- all of it ------------------------------------------------------------------------------ */

static uint32_t largest_number(const struct cup_profile *profile)
{
    uint32_t largest = 0;
    for (size_t i = 0; i < profile->task_count; i++)
        if (profile->tasks[i].number > largest)
            largest = profile->tasks[i].number;
    return largest;
}

/* Returns 1, 0 if there is nothing to sum up, or -1 and *error. */
static int sum_up(struct summary *summary, struct cup_error *error)
{
    int64_t count = -1;
    if (load(summary, &summary->all, is_any) == 0)
        count = cup_choose_summed(&summary->summed, &summary->kept, &summary->all,
                                  summary->request->tasks);
    if (count == 0)
        return 0;
    if (count > 0 && (load(summary, &summary->profile, is_to_sum) != 0 ||
                      cup_task_groups_make(&summary->groups, &summary->profile, &summary->servers,
                                           largest_number(&summary->all) + 1) != 0))
        count = -1;
    return count > 0 && !summary->out_of_memory ? 1
                                                : cup_error_memory(error, summary->request->path);
}

static void free_summary(struct summary *summary)
{
    cup_id_map_clear(&summary->kept);
    cup_id_map_clear(&summary->summed);
    cup_id_map_clear(&summary->servers);
    cup_id_map_clear(&summary->with_stacks);
    cup_id_map_clear(&summary->strings);
    cup_hash_map_clear(&summary->use_at);
    cup_profile_free(&summary->all);
    cup_profile_free(&summary->profile);
    cup_task_groups_free(&summary->groups);
    free(summary->uses);
}

static int write_output(struct summary *summary, struct cup_error *error)
{
    const char *output = summary->request->output;
    int fd = open(output, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600);
    summary->out = fd >= 0 ? fdopen(fd, "w") : NULL;
    if (!summary->out)
        return cup_error_system(error, output, "create");
    int result = write_log(summary, error);
    bool failed = ferror(summary->out);
    if ((fclose(summary->out) != 0 || failed) && result == 0)
        result = cup_error_system(error, output, "write");
    return result == 0 ? 1 : -1;
}

/* Returns as cup_summary_write(). */
static int write_summary(const struct cup_summary_request *request, const char *path,
                         struct cup_error *error)
{
    struct summary *summary = calloc(1, sizeof *summary);
    if (!summary)
        return cup_error_memory(error, request->path);
    summary->request = request;
    summary->path = path;
    int result = read_notes(summary, error);
    if (result == 1)
        result = sum_up(summary, error);
    if (result == 1)
        result = write_output(summary, error);
    free_summary(summary);
    free(summary);
    return result;
}

int cup_summary_write(const struct cup_summary_request *request, struct cup_error *error)
{
    char *copy = NULL;
    if (asprintf(&copy, "%s.log", request->output) < 0)
        return cup_error_memory(error, request->path);
    cup_temporary_add(copy);
    int frozen = cup_merge_freeze(request->path, copy, error);
    int result = frozen < 0 ? -1 : write_summary(request, frozen ? copy : request->path, error);
    if (frozen > 0)
        unlink(copy);
    cup_temporary_drop(copy);
    free(copy);
    return result;
}

#include "analysis/profile/profile_builder.h"

#include <string.h>

#include "analysis/base/array.h"

/* The state while the profile `from` is merged into the profile `into`. Each map finds the place
 * in `into` of an entry of `from`. */
struct merge {
    struct cup_builder *builder;
    struct cup_profile *into, *from;
#define X(entries, entry, type, merge, what)                                                       \
    uint32_t entry##_base; /* length of the array in `into` before the merge */
    CUP_PROFILE_ARRAYS(X)
#undef X
    struct cup_id_map strings;    /* by id in `from` */
    struct cup_id_map prefixes;   /* by index in `from`: index + 1 */
    struct cup_id_map files;      /* by index + 1 in `from`: index + 1 */
    struct cup_id_map branches;   /* by index + 1 in `from`: index + 1 */
    struct cup_id_map root_files; /* by index + 1 in `from`: index + 1 */
    struct cup_id_map sections;   /* by index + 1 in `from`: index + 1 */
};

static uint32_t string_of(const struct merge *merge, uint32_t id)
{
    return cup_id_map_get(&merge->strings, id);
}

static uint32_t prefix_of(const struct merge *merge, uint32_t index)
{
    return index == CUP_NO_PREFIX ? index : cup_id_map_get(&merge->prefixes, index) - 1;
}

/* Shifts an "index + 1" by BASE. 0 means "none" and stays 0. */
static uint32_t move_index(uint32_t index, uint32_t base)
{
    return index ? index + base : 0;
}

static void merge_strings(struct merge *merge)
{
    for (uint32_t id = 1; id < merge->from->strings.count; id++)
        cup_builder_map(merge->builder, &merge->strings, id,
                        cup_builder_string(merge->builder, merge->from->strings.texts[id]));
}

/* Appends MORE entries. Without memory it appends none and sets out_of_memory. */
static void append_entries(struct cup_builder *builder, void *items, size_t *room, size_t *count,
                           size_t size, const void *entries, size_t more)
{
    char *base;
    while (*room < *count + more)
        if (cup_array_grow(items, room, *room, size) != 0) {
            builder->out_of_memory = true;
            return;
        }
    memcpy(&base, items, sizeof base); /* `items` is a T **, whatever T is */
    if (more)
        memcpy(base + *count * size, entries, more * size);
    *count += more;
}

#define APPEND_ALL(merge, entries, entry)                                                          \
    append_entries((merge)->builder, &(merge)->into->entries, &(merge)->into->entry##_room,        \
                   &(merge)->into->entry##_count, sizeof *(merge)->into->entries,                  \
                   (merge)->from->entries, (merge)->from->entry##_count)

/* ---- tasks and their processes ------------------------------------------------------------ */

void cup_prefix_add(struct cup_prefix *prefix, const struct cup_prefix *old)
{
    prefix->tasks += old->tasks;
    cup_counters_add(prefix->counters, old->counters);
    cup_wait_sums_add(&prefix->waits, &old->waits);
    cup_measured_waits_add(&prefix->helper_waits, &old->helper_waits);
    cup_add_all(prefix->durations[0], old->durations[0], CUP_DURATION_COUNT * CUP_BUCKETS);
    if (old->longest_task_ns > prefix->longest_task_ns)
        prefix->longest_task_ns = old->longest_task_ns;
}

static void merge_prefixes(struct merge *merge)
{
    for (uint32_t i = 0; i < merge->from->prefix_count; i++) {
        const struct cup_prefix *old = &merge->from->prefixes[i];
        uint32_t index = cup_builder_prefix(merge->builder, string_of(merge, old->name));
        struct cup_prefix *prefix = &merge->into->prefixes[index];
        cup_prefix_add(prefix, old);
        cup_builder_map(merge->builder, &merge->prefixes, i, index + 1);
    }
}

static void merge_processes(struct merge *merge)
{
    APPEND_ALL(merge, processes, process);
    for (size_t i = merge->process_base; i < merge->into->process_count; i++) {
        struct cup_process *process = &merge->into->processes[i];
        process->parsl_worker = string_of(merge, process->parsl_worker);
        process->first_task += merge->task_base;
        process->first_branch += merge->branch_number_base;
        process->summed.first_key += merge->summed_key_base;
        merge->from->processes[i - merge->process_base].log_path = NULL; /* now owned by `into` */
    }
}

/* ---- files -------------------------------------------------------------------------------- */

static void merge_files(struct merge *merge)
{
    for (uint32_t i = 0; i < merge->from->file_count; i++) {
        const struct cup_file *old = &merge->from->files[i];
        uint32_t index = cup_builder_file(merge->builder, string_of(merge, old->path));
        if (index == 0)
            return;
        struct cup_file *file = &merge->into->files[index - 1];
        file->class = old->class ? old->class : file->class;
        file->flags |= old->flags;
        file->mount = old->mount ? string_of(merge, old->mount) : file->mount;
        file->processes += old->processes;
        file->size = old->size > file->size ? old->size : file->size;
        cup_builder_map(merge->builder, &merge->files, i + 1, index);
    }
}

static void merge_file_sums(struct merge *merge)
{
    for (size_t i = 0; i < merge->from->file_sum_count; i++) {
        const struct cup_file_sum *old = &merge->from->file_sums[i];
        uint32_t file = cup_id_map_get(&merge->files, old->file + 1);
        struct cup_file_sum *sum =
            file ? cup_builder_file_sum(merge->builder, file - 1, prefix_of(merge, old->prefix))
                 : NULL;
        if (!sum)
            return;
        sum->tasks += old->tasks;
        cup_add_all(sum->counters, old->counters, CUP_FILE_COUNTER_COUNT);
    }
}

static void merge_opens(struct merge *merge)
{
    for (size_t i = 0; i < merge->from->open_count; i++) {
        const struct cup_open_sum *old = &merge->from->opens[i];
        struct cup_open_sum *sum =
            cup_builder_open(merge->builder, string_of(merge, old->server), old->kind);
        if (!sum)
            return;
        cup_open_sum_add(sum, old);
    }
}

static void merge_request_sums(struct merge *merge)
{
    for (size_t i = 0; i < merge->from->request_sum_count; i++) {
        const struct cup_request_sum *old = &merge->from->request_sums[i];
        struct cup_request_sum *sum = cup_builder_request_sum(
            merge->builder, string_of(merge, old->server), string_of(merge, old->host));
        if (!sum)
            return;
        cup_request_sum_add(sum, old);
    }
}

static void merge_branches(struct merge *merge)
{
    for (uint32_t i = 0; i < merge->from->branch_count; i++) {
        const struct cup_branch *old = &merge->from->branches[i];
        uint32_t index = cup_builder_branch(merge->builder, string_of(merge, old->tree),
                                            string_of(merge, old->name));
        if (index == 0)
            return;
        struct cup_branch *branch = &merge->into->branches[index - 1];
        branch->tasks += old->tasks;
        branch->chunks += old->chunks;
        cup_basket_sums_add(&branch->sums, &old->sums);
        cup_builder_map(merge->builder, &merge->branches, i + 1, index);
    }
}

static void merge_root_files(struct merge *merge)
{
    for (uint32_t i = 0; i < merge->from->root_file_count; i++) {
        const struct cup_root_file *old = &merge->from->root_files[i];
        uint32_t index = cup_builder_root_file(merge->builder, string_of(merge, old->path));
        if (index == 0)
            return;
        struct cup_root_file *file = &merge->into->root_files[index - 1];
        file->version = old->version ? old->version : file->version;
        file->compression = old->version ? old->compression : file->compression;
        file->end = old->version ? old->end : file->end;
        file->records += old->records;
        file->rows += old->rows;
        cup_basket_sums_add(&file->sums, &old->sums);
        cup_builder_map(merge->builder, &merge->root_files, i + 1, index);
    }
}

static void merge_ttrees(struct merge *merge)
{
    for (size_t i = 0; i < merge->from->ttree_count; i++) {
        struct cup_ttree tree = merge->from->ttrees[i];
        tree.name = string_of(merge, tree.name);
        tree.root_file = cup_id_map_get(&merge->root_files, tree.root_file + 1) - 1;
        cup_builder_ttree(merge->builder, &tree);
    }
}

static void merge_places_of_file(struct merge *merge, uint32_t root_file)
{
    const struct cup_profile *from = merge->from;
    uint32_t index = cup_id_map_get(&merge->root_files, root_file + 1) - 1;
    for (uint32_t at = from->root_files[root_file].first_place; at;) {
        struct cup_basket_place place = from->basket_places[at - 1];
        at = place.next;
        place.process += merge->process_base;
        place.task = move_index(place.task, merge->task_base);
        cup_builder_basket_place(merge->builder, index, &place);
    }
}

static void merge_basket_places(struct merge *merge)
{
    struct cup_profile *into = merge->into, *from = merge->from;
    into->basket_rows += from->basket_rows;
    into->damaged_baskets += from->damaged_baskets;
    into->basket_places_dropped |= from->basket_places_dropped;
    cup_basket_sums_add(&into->without_task, &from->without_task);
    for (uint32_t i = 0; i < from->root_file_count && !from->basket_places_dropped; i++)
        merge_places_of_file(merge, i);
}

/* ---- sections and named values ------------------------------------------------------------- */

static void merge_sections(struct merge *merge)
{
    merge->into->section_rows_left_out += merge->from->section_rows_left_out;
    for (uint32_t i = 0; i < merge->from->section_count; i++) {
        const struct cup_section *old = &merge->from->sections[i];
        uint32_t index =
            cup_builder_section_of(merge->builder, string_of(merge, old->name),
                                   string_of(merge, old->parent), prefix_of(merge, old->prefix));
        if (index == 0)
            return;
        merge->into->sections[index - 1].tasks += old->tasks;
        cup_section_add(merge->into->sections[index - 1].values, old->values);
        cup_builder_map(merge->builder, &merge->sections, i + 1, index);
    }
}

static void merge_section_rows(struct merge *merge)
{
    struct cup_profile *into = merge->into, *from = merge->from;
    for (size_t i = 0; i < from->section_row_count; i++) {
        if (into->section_row_count >= CUP_SECTION_ROWS_MOST) {
            into->section_rows_left_out += from->section_row_count - i;
            return;
        }
        struct cup_section_row *row = CUP_APPEND(merge->builder, section_rows, section_row);
        if (!row)
            return;
        *row = from->section_rows[i];
        row->section = cup_id_map_get(&merge->sections, row->section + 1) - 1;
        row->task = move_index(row->task, merge->task_base);
    }
}

static uint32_t value_of(struct merge *merge, const struct cup_named_value *value)
{
    return cup_builder_value_of(merge->builder, string_of(merge, value->name),
                                prefix_of(merge, value->prefix));
}

static void merge_value_rows(struct merge *merge)
{
    struct cup_profile *into = merge->into, *from = merge->from;
    for (size_t i = 0; i < from->value_row_count; i++) {
        const struct cup_value_row *old = &from->value_rows[i];
        uint32_t index = value_of(merge, &from->named_values[old->value]);
        if (into->value_row_count >= CUP_SECTION_ROWS_MOST) {
            into->section_rows_left_out += from->value_row_count - i;
            return;
        }
        struct cup_value_row *row = CUP_APPEND(merge->builder, value_rows, value_row);
        if (!row || !index)
            return;
        *row = *old;
        row->value = index - 1;
        row->task = move_index(old->task, merge->task_base);
    }
}

static void merge_named_values(struct merge *merge)
{
    for (size_t i = 0; i < merge->from->named_value_count; i++) {
        const struct cup_named_value *old = &merge->from->named_values[i];
        uint32_t index = value_of(merge, old);
        if (index)
            cup_named_value_add(&merge->into->named_values[index - 1], old);
    }
}

/* ---- moved entries ------------------------------------------------------------------------ */

/* MOVED(entry, type, its fields that refer to something in `from`): makes them refer to the same in
 * `into`. */
#define MOVED(entry, type, ...)                                                                    \
    static void move_##entry(const struct merge *merge, type *it)                                  \
    {                                                                                              \
        __VA_ARGS__                                                                                \
    }
#define STRING(field) it->field = string_of(merge, it->field);
#define PLACE(field, entry) it->field += merge->entry##_base; /* an index, always there */
#define NUMBER(field, entry)                                                                       \
    it->field = move_index(it->field, merge->entry##_base); /* index + 1; 0: none */

/* clang-format off */
MOVED(server, struct cup_server, PLACE(process, process) STRING(address) STRING(name)
      STRING(local_directory))
MOVED(scope, struct cup_scope, PLACE(process, process) it->prefix = prefix_of(merge, it->prefix);
      NUMBER(server, server) STRING(span) STRING(span_id))
MOVED(task, struct cup_task, PLACE(scope, scope) NUMBER(item, item) NUMBER(rare, rare))
MOVED(rare, struct cup_task_rare, STRING(error))
MOVED(task_sum, struct cup_task_sum, PLACE(process, process)
      it->prefix = prefix_of(merge, it->prefix); NUMBER(server, server) STRING(span)
      STRING(span_id) STRING(dataset))
MOVED(input, struct cup_inputs, PLACE(task, task))
MOVED(item, struct cup_item, PLACE(task, task) NUMBER(source, item_source) STRING(file))
MOVED(item_source, struct cup_item_source, STRING(dataset) STRING(tree)
      NUMBER(columns, column_set))
MOVED(column_set, struct cup_column_set, PLACE(first, column_name))
MOVED(column_name, uint32_t, *it = string_of(merge, *it);)
MOVED(request, struct cup_request_row, PLACE(process, process) NUMBER(task, task) STRING(server)
      it->file = cup_id_map_get(&merge->files, it->file);)
MOVED(access_place, struct cup_access_place, PLACE(process, process) NUMBER(task, task)
      it->file = cup_id_map_get(&merge->files, it->file + 1) - 1;)
MOVED(single_read, struct cup_single_read, PLACE(process, process) NUMBER(task, task)
      it->file = cup_id_map_get(&merge->files, it->file + 1) - 1;)
MOVED(branch_number, struct cup_branch_number,
      it->branch = cup_id_map_get(&merge->branches, it->branch);)
MOVED(info, struct cup_info, PLACE(process, process) STRING(name) STRING(value))
MOVED(note, struct cup_note, PLACE(process, process) STRING(text))
MOVED(child, struct cup_child, PLACE(process, process))
MOVED(sample, struct cup_sample_place, PLACE(server, server))
MOVED(sampled_worker, struct cup_sampled_worker, PLACE(process, process) NUMBER(server, server)
      STRING(address) STRING(name))
MOVED(own_sample, struct cup_own_sample, PLACE(worker, sampled_worker))
MOVED(status, struct cup_status_name, PLACE(process, process) STRING(name))
MOVED(span, struct cup_span, STRING(id) STRING(name))
MOVED(other_span, uint32_t, *it = string_of(merge, *it);)
MOVED(digest, struct cup_digest, PLACE(process, process) NUMBER(server, server) STRING(context)
      STRING(span) STRING(prefix) STRING(activity) STRING(unit))
/* clang-format on */

/* ---- all of it ------------------------------------------------------------------------------ */

static void merge_health(struct merge *merge)
{
    struct cup_profile *into = merge->into, *from = merge->from;
    into->logs_read += from->logs_read;
    into->logs_damaged += from->logs_damaged;
    into->logs_unreadable += from->logs_unreadable;
    into->logs_forbidden += from->logs_forbidden;
    into->logs_unopened += from->logs_unopened;
    into->unfinished_records += from->unfinished_records;
    into->skipped_bytes += from->skipped_bytes;
    into->orphan_records += from->orphan_records;
    into->tasks_skipped += from->tasks_skipped;
    into->tasks_summed += from->tasks_summed;
    into->sums_apart += from->sums_apart;
    into->full_log_tasks += from->full_log_tasks;
    into->full_log_tasks_apart += from->full_log_tasks_apart;
    if (from->full_log_ns && (!into->full_log_ns || from->full_log_ns < into->full_log_ns))
        into->full_log_ns = from->full_log_ns;
    into->features |= from->features;
    cup_add_all(into->health, from->health, CUP_HEALTH_COUNT);
}

/* How an array is merged, by its row in CUP_PROFILE_ARRAYS. */
#define MERGE_COPIED(merge, entries, entry) APPEND_ALL(merge, entries, entry);
#define MERGE_MOVED(merge, entries, entry)                                                         \
    APPEND_ALL(merge, entries, entry);                                                             \
    for (size_t i = (merge)->entry##_base; i < (merge)->into->entry##_count; i++)                  \
        move_##entry(merge, &(merge)->into->entries[i]);
#define MERGE_MERGED(merge, entries, entry) merge_##entries(merge);

static void merge_arrays(struct merge *merge)
{
#define X(entries, entry, type, how, what)                                                         \
    merge->entry##_base = (uint32_t)merge->into->entry##_count;
    CUP_PROFILE_ARRAYS(X)
#undef X
#define X(entries, entry, type, how, what)                                                         \
    if (!merge->builder->out_of_memory) {                                                          \
        MERGE_##how(merge, entries, entry)                                                         \
    }
    CUP_PROFILE_ARRAYS(X)
#undef X
}

void cup_profile_merge(struct cup_builder *builder, struct cup_profile *from)
{
    struct merge merge = {.builder = builder, .into = builder->profile, .from = from};
    merge_strings(&merge);
    merge_arrays(&merge);
    merge_health(&merge);
    cup_id_map_clear(&merge.strings);
    cup_id_map_clear(&merge.prefixes);
    cup_id_map_clear(&merge.files);
    cup_id_map_clear(&merge.branches);
    cup_id_map_clear(&merge.root_files);
    cup_id_map_clear(&merge.sections);
}

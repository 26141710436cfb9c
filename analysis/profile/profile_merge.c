#include "analysis/profile/profile_merge.h"

#include <stdlib.h>

/* Where the entries of `from` went: what is added to an index of it. */
struct shift {
    struct cup_builder *builder;
    struct cup_profile *into, *from;
    uint32_t process, server, task, item, column_set, column_name, branch_number;
    struct cup_id_map strings;    /* by id in `from` */
    struct cup_id_map prefixes;   /* by index in `from`: index + 1 */
    struct cup_id_map files;      /* by index + 1 in `from`: index + 1 */
    struct cup_id_map branches;   /* likewise */
    struct cup_id_map root_files; /* likewise */
};

static uint32_t string(const struct shift *shift, uint32_t id)
{
    return cup_id_map_get(&shift->strings, id);
}

static uint32_t prefix(const struct shift *shift, uint32_t index)
{
    return index == CUP_NO_PREFIX ? index : cup_id_map_get(&shift->prefixes, index) - 1;
}

/* An index + 1 that may be 0. */
static uint32_t moved(uint32_t index, uint32_t by)
{
    return index ? index + by : 0;
}

static void merge_strings(struct shift *shift)
{
    for (uint32_t id = 1; id < shift->from->strings.count; id++)
        cup_builder_map(shift->builder, &shift->strings, id,
                        cup_builder_string(shift->builder, shift->from->strings.texts[id]));
}

static void merge_sums(struct cup_prefix *prefix, const struct cup_prefix *old)
{
    cup_counters_add(prefix->counters, old->counters);
    cup_wait_sums_add(&prefix->waits, &old->waits);
    cup_measured_waits_add(&prefix->helper_waits, &old->helper_waits);
    cup_add_all(prefix->durations[0], old->durations[0], CUP_DURATION_COUNT * CUP_BUCKETS);
    if (old->longest_task_ns > prefix->longest_task_ns)
        prefix->longest_task_ns = old->longest_task_ns;
}

static void merge_prefixes(struct shift *shift)
{
    for (uint32_t i = 0; i < shift->from->prefix_count; i++) {
        const struct cup_prefix *old = &shift->from->prefixes[i];
        uint32_t index = cup_builder_prefix(shift->builder, string(shift, old->name));
        struct cup_prefix *prefix = &shift->into->prefixes[index];
        prefix->tasks += old->tasks;
        merge_sums(prefix, old);
        cup_builder_map(shift->builder, &shift->prefixes, i, index + 1);
    }
}

static void merge_processes(struct shift *shift)
{
    for (size_t i = 0; i < shift->from->process_count; i++) {
        struct cup_process *process = CUP_APPEND(shift->builder, processes, process);
        if (!process)
            return;
        *process = shift->from->processes[i];
        process->first_task += shift->task;
        process->first_branch += shift->branch_number;
        shift->from->processes[i].log_path = NULL;
    }
}

static void merge_servers(struct shift *shift)
{
    for (size_t i = 0; i < shift->from->server_count; i++) {
        struct cup_server *server = CUP_APPEND(shift->builder, servers, server);
        if (!server)
            return;
        *server = shift->from->servers[i];
        server->process += shift->process;
        server->address = string(shift, server->address);
        server->name = string(shift, server->name);
        server->local_directory = string(shift, server->local_directory);
    }
}

static void merge_tasks(struct shift *shift)
{
    bool counters = shift->from->counters != NULL;
    for (size_t i = 0; i < shift->from->task_count; i++) {
        struct cup_task *task = cup_builder_task(shift->builder, counters);
        if (!task)
            return;
        *task = shift->from->tasks[i];
        task->process += shift->process;
        task->prefix = prefix(shift, task->prefix);
        task->server = moved(task->server, shift->server);
        task->span = string(shift, task->span);
        task->span_id = string(shift, task->span_id);
        task->error = string(shift, task->error);
        task->item = moved(task->item, shift->item);
        if (!counters)
            continue;
        cup_counters_add(shift->into->counters[shift->task + i], shift->from->counters[i]);
        shift->into->own_waits[shift->task + i] = shift->from->own_waits[i];
        shift->into->baskets[shift->task + i] = shift->from->baskets[i];
    }
}

static void merge_inputs(struct shift *shift)
{
    for (size_t i = 0; i < shift->from->input_count; i++) {
        struct cup_inputs *inputs = CUP_APPEND(shift->builder, inputs, input);
        if (!inputs)
            return;
        *inputs = shift->from->inputs[i];
        inputs->task += shift->task;
    }
}

static void merge_items(struct shift *shift)
{
    for (size_t i = 0; i < shift->from->item_count; i++) {
        struct cup_item *item = CUP_APPEND(shift->builder, items, item);
        if (!item)
            return;
        *item = shift->from->items[i];
        item->task += shift->task;
        item->dataset = string(shift, item->dataset);
        item->file = string(shift, item->file);
        item->tree = string(shift, item->tree);
        item->columns = moved(item->columns, shift->column_set);
    }
}

static void merge_columns(struct shift *shift)
{
    for (size_t i = 0; i < shift->from->column_set_count; i++) {
        struct cup_column_set *set = CUP_APPEND(shift->builder, column_sets, column_set);
        if (!set)
            return;
        *set = shift->from->column_sets[i];
        set->first += shift->column_name;
    }
    for (size_t i = 0; i < shift->from->column_name_count; i++) {
        uint32_t *name = CUP_APPEND(shift->builder, column_names, column_name);
        if (!name)
            return;
        *name = string(shift, shift->from->column_names[i]);
    }
}

static void merge_files(struct shift *shift)
{
    for (uint32_t i = 0; i < shift->from->file_count; i++) {
        const struct cup_file *old = &shift->from->files[i];
        uint32_t index = cup_builder_file(shift->builder, string(shift, old->path));
        if (index == 0)
            return;
        struct cup_file *file = &shift->into->files[index - 1];
        file->class = old->class;
        file->flags |= old->flags;
        file->processes += old->processes;
        file->size = old->size > file->size ? old->size : file->size;
        cup_builder_map(shift->builder, &shift->files, i + 1, index);
    }
}

static void merge_file_sums(struct shift *shift)
{
    for (size_t i = 0; i < shift->from->file_sum_count; i++) {
        const struct cup_file_sum *old = &shift->from->file_sums[i];
        uint32_t file = cup_id_map_get(&shift->files, old->file + 1);
        struct cup_file_sum *sum =
            file ? cup_builder_file_sum(shift->builder, file - 1, prefix(shift, old->prefix))
                 : NULL;
        if (!sum)
            return;
        sum->tasks += old->tasks;
        cup_add_all(sum->counters, old->counters, CUP_FILE_COUNTER_COUNT);
    }
}

static void merge_opens(struct shift *shift)
{
    for (size_t i = 0; i < shift->from->open_count; i++) {
        const struct cup_open_sum *old = &shift->from->opens[i];
        struct cup_open_sum *sum =
            cup_builder_open(shift->builder, string(shift, old->server), old->kind);
        if (!sum)
            return;
        cup_open_sum_add(sum, old);
    }
}

static void merge_access_places(struct shift *shift)
{
    for (size_t i = 0; i < shift->from->access_place_count; i++) {
        struct cup_access_place *place = CUP_APPEND(shift->builder, access_places, access_place);
        if (!place)
            return;
        *place = shift->from->access_places[i];
        place->process += shift->process;
        place->task = moved(place->task, shift->task);
        place->file = cup_id_map_get(&shift->files, place->file + 1) - 1;
    }
}

static void merge_branches(struct shift *shift)
{
    for (size_t i = 0; i < shift->from->branch_count; i++) {
        const struct cup_branch *old = &shift->from->branches[i];
        uint32_t index =
            cup_builder_branch(shift->builder, string(shift, old->tree), string(shift, old->name));
        if (index == 0)
            return;
        struct cup_branch *branch = &shift->into->branches[index - 1];
        branch->tasks += old->tasks;
        branch->chunks += old->chunks;
        cup_basket_sums_add(&branch->sums, &old->sums);
        cup_builder_map(shift->builder, &shift->branches, (uint32_t)i + 1, index);
    }
    for (size_t i = 0; i < shift->from->branch_number_count; i++) {
        struct cup_branch_number *number =
            CUP_APPEND(shift->builder, branch_numbers, branch_number);
        if (!number)
            return;
        *number = shift->from->branch_numbers[i];
        number->branch = cup_id_map_get(&shift->branches, number->branch);
    }
}

static void merge_root_file(struct shift *shift, const struct cup_root_file *old, uint32_t index)
{
    struct cup_root_file *file = &shift->into->root_files[index];
    file->version = old->version ? old->version : file->version;
    file->compression = old->version ? old->compression : file->compression;
    file->end = old->version ? old->end : file->end;
    file->records += old->records;
    file->rows += old->rows;
    cup_basket_sums_add(&file->sums, &old->sums);
    for (uint32_t at = old->first_place; at && !shift->from->basket_places_dropped;) {
        struct cup_basket_place place = shift->from->basket_places[at - 1];
        at = place.next;
        place.process += shift->process;
        place.task = moved(place.task, shift->task);
        cup_builder_basket_place(shift->builder, index, &place);
    }
}

static void merge_root_files(struct shift *shift)
{
    struct cup_profile *into = shift->into, *from = shift->from;
    into->basket_rows += from->basket_rows;
    into->damaged_baskets += from->damaged_baskets;
    into->basket_places_dropped |= from->basket_places_dropped;
    cup_basket_sums_add(&into->without_task, &from->without_task);
    for (uint32_t i = 0; i < from->root_file_count; i++) {
        uint32_t index =
            cup_builder_root_file(shift->builder, string(shift, from->root_files[i].path));
        if (index == 0)
            return;
        cup_builder_map(shift->builder, &shift->root_files, i + 1, index);
        merge_root_file(shift, &from->root_files[i], index - 1);
    }
    for (size_t i = 0; i < from->ttree_count; i++) {
        struct cup_ttree tree = from->ttrees[i];
        tree.name = string(shift, tree.name);
        tree.root_file = cup_id_map_get(&shift->root_files, tree.root_file + 1) - 1;
        cup_builder_ttree(shift->builder, &tree);
    }
}

/* The rows of what was left out stay left out; indexes of `from` in the order of its entries. */
static void merge_sections(struct shift *shift)
{
    struct cup_profile *into = shift->into, *from = shift->from;
    uint32_t *moved_to = calloc(from->section_count + 1, sizeof *moved_to);
    into->section_rows_left_out += from->section_rows_left_out;
    for (size_t i = 0; i < from->section_count && moved_to; i++) {
        const struct cup_section *old = &from->sections[i];
        moved_to[i] =
            cup_builder_section_of(shift->builder, string(shift, old->name),
                                   string(shift, old->parent), prefix(shift, old->prefix));
        if (!moved_to[i])
            break;
        into->sections[moved_to[i] - 1].tasks += old->tasks;
        cup_section_add(into->sections[moved_to[i] - 1].values, old->values);
    }
    for (size_t i = 0; i < from->section_row_count && !shift->builder->out_of_memory; i++) {
        if (into->section_row_count >= CUP_SECTION_ROWS_MOST) {
            into->section_rows_left_out += from->section_row_count - i;
            break;
        }
        struct cup_section_row *row = CUP_APPEND(shift->builder, section_rows, section_row);
        if (!row || !moved_to)
            break;
        *row = from->section_rows[i];
        row->section = moved_to[row->section] - 1;
        row->task = moved(row->task, shift->task);
    }
    shift->builder->out_of_memory |= moved_to == NULL;
    free(moved_to);
}

static void merge_value(struct cup_named_value *into, const struct cup_named_value *from)
{
    if (into->count == 0 || from->least < into->least)
        into->least = from->least;
    if (into->count == 0 || from->most > into->most)
        into->most = from->most;
    into->tasks += from->tasks;
    into->count += from->count;
    into->sum += from->sum;
}

static void merge_values(struct shift *shift)
{
    struct cup_profile *into = shift->into, *from = shift->from;
    for (size_t i = 0; i < from->value_row_count; i++) {
        const struct cup_value_row *old = &from->value_rows[i];
        const struct cup_named_value *named = &from->named_values[old->value];
        uint32_t index = cup_builder_value_of(shift->builder, string(shift, named->name),
                                              prefix(shift, named->prefix));
        if (into->value_row_count >= CUP_SECTION_ROWS_MOST) {
            into->section_rows_left_out += from->value_row_count - i;
            break;
        }
        struct cup_value_row *row = CUP_APPEND(shift->builder, value_rows, value_row);
        if (!row || !index)
            return;
        *row = *old;
        row->value = index - 1;
        row->task = moved(old->task, shift->task);
    }
    for (size_t i = 0; i < from->named_value_count; i++) {
        const struct cup_named_value *old = &from->named_values[i];
        uint32_t index = cup_builder_value_of(shift->builder, string(shift, old->name),
                                              prefix(shift, old->prefix));
        if (index)
            merge_value(&into->named_values[index - 1], old);
    }
}

static void merge_facts(struct shift *shift)
{
    for (size_t i = 0; i < shift->from->info_count; i++) {
        const struct cup_info *old = &shift->from->infos[i];
        struct cup_info *info = CUP_APPEND(shift->builder, infos, info);
        if (info)
            *info = (struct cup_info){old->process + shift->process, string(shift, old->name),
                                      string(shift, old->value)};
    }
    for (size_t i = 0; i < shift->from->note_count; i++) {
        const struct cup_note *old = &shift->from->notes[i];
        struct cup_note *note = CUP_APPEND(shift->builder, notes, note);
        if (note)
            *note = (struct cup_note){old->process + shift->process, string(shift, old->text)};
    }
}

static void merge_children(struct shift *shift)
{
    for (size_t i = 0; i < shift->from->child_count; i++) {
        struct cup_child *child = CUP_APPEND(shift->builder, children, child);
        if (!child)
            return;
        *child = shift->from->children[i];
        child->process += shift->process;
    }
}

static void merge_samples(struct shift *shift)
{
    for (size_t i = 0; i < shift->from->sample_count; i++) {
        struct cup_sample_place *sample = CUP_APPEND(shift->builder, samples, sample);
        if (!sample)
            return;
        *sample = shift->from->samples[i];
        sample->server += shift->server;
    }
}

static void merge_sampled_workers(struct shift *shift)
{
    for (size_t i = 0; i < shift->from->sampled_worker_count; i++) {
        struct cup_sampled_worker *worker =
            CUP_APPEND(shift->builder, sampled_workers, sampled_worker);
        if (!worker)
            return;
        *worker = shift->from->sampled_workers[i];
        worker->process += shift->process;
        worker->server = moved(worker->server, shift->server);
        worker->address = string(shift, worker->address);
        worker->name = string(shift, worker->name);
    }
    for (size_t i = 0; i < shift->from->status_count; i++) {
        const struct cup_status_name *old = &shift->from->statuses[i];
        struct cup_status_name *status = CUP_APPEND(shift->builder, statuses, status);
        if (status)
            *status = (struct cup_status_name){old->process + shift->process, old->number,
                                               string(shift, old->name)};
    }
}

static void merge_digests(struct shift *shift)
{
    for (size_t i = 0; i < shift->from->span_count; i++) {
        const struct cup_span *old = &shift->from->spans[i];
        struct cup_span *span = CUP_APPEND(shift->builder, spans, span);
        if (span)
            *span = (struct cup_span){string(shift, old->id), string(shift, old->name)};
    }
    for (size_t i = 0; i < shift->from->other_span_count; i++) {
        uint32_t *id = CUP_APPEND(shift->builder, other_spans, other_span);
        if (id)
            *id = string(shift, shift->from->other_spans[i]);
    }
    for (size_t i = 0; i < shift->from->digest_count; i++) {
        struct cup_digest *digest = CUP_APPEND(shift->builder, digests, digest);
        if (!digest)
            return;
        *digest = shift->from->digests[i];
        digest->process += shift->process;
        digest->server = moved(digest->server, shift->server);
        digest->context = string(shift, digest->context);
        digest->span = string(shift, digest->span);
        digest->prefix = string(shift, digest->prefix);
        digest->activity = string(shift, digest->activity);
        digest->unit = string(shift, digest->unit);
    }
}

static void merge_health(struct shift *shift)
{
    struct cup_profile *into = shift->into, *from = shift->from;
    for (size_t i = 0; i < from->damage_count; i++)
        cup_builder_damage(shift->builder, &from->damages[i]);
    into->logs_read += from->logs_read;
    into->logs_damaged += from->logs_damaged;
    into->logs_unreadable += from->logs_unreadable;
    into->unfinished_records += from->unfinished_records;
    into->skipped_bytes += from->skipped_bytes;
    into->orphan_records += from->orphan_records;
    into->tasks_skipped += from->tasks_skipped;
    into->features |= from->features;
    cup_add_all(into->health, from->health, CUP_HEALTH_COUNT);
}

/* Only what is moved as it is; texts, prefixes and files are looked up. */
static struct shift shift_for(struct cup_builder *builder, struct cup_profile *from)
{
    struct cup_profile *into = builder->profile;
    return (struct shift){
        .builder = builder,
        .into = into,
        .from = from,
        .process = (uint32_t)into->process_count,
        .server = (uint32_t)into->server_count,
        .task = (uint32_t)into->task_count,
        .item = (uint32_t)into->item_count,
        .column_set = (uint32_t)into->column_set_count,
        .column_name = (uint32_t)into->column_name_count,
        .branch_number = (uint32_t)into->branch_number_count,
    };
}

void cup_profile_merge(struct cup_builder *builder, struct cup_profile *from)
{
    struct shift shift = shift_for(builder, from);
    merge_strings(&shift);
    merge_prefixes(&shift);
    if (!builder->out_of_memory) {
        merge_processes(&shift);
        merge_servers(&shift);
        merge_tasks(&shift);
        merge_inputs(&shift);
        merge_items(&shift);
        merge_columns(&shift);
        merge_files(&shift);
        merge_file_sums(&shift);
        merge_opens(&shift);
        merge_access_places(&shift);
        merge_branches(&shift);
        merge_root_files(&shift);
        merge_sections(&shift);
        merge_values(&shift);
        merge_facts(&shift);
        merge_children(&shift);
        merge_samples(&shift);
        merge_sampled_workers(&shift);
        merge_digests(&shift);
        merge_health(&shift);
    }
    cup_id_map_clear(&shift.strings);
    cup_id_map_clear(&shift.prefixes);
    cup_id_map_clear(&shift.files);
    cup_id_map_clear(&shift.branches);
    cup_id_map_clear(&shift.root_files);
}

/* What tasks were given to do, and what Coffea reports of it. */
#include "analysis/profile/load/loader.h"

/* The task's item, made at need; NULL without memory. */
static struct cup_item *item_of(struct cup_loader *loader, struct cup_task *task)
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
        .reported_entries = CUP_NO_ENTRIES,
    };
    task->item = (uint32_t)loader->builder->profile->item_count;
    return item;
}

void cup_load_item(struct cup_loader *loader, const struct cup_record *record)
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

void cup_load_chunk(struct cup_loader *loader, const struct cup_record *record)
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

void cup_load_columns(struct cup_loader *loader, const struct cup_record *record)
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

void cup_load_chunk_report(struct cup_loader *loader, const struct cup_record *record)
{
    struct cup_r_chunk_report told;
    cup_record_fixed(record, &told, sizeof told);
    struct cup_task *task = find_task(loader, told.task);
    struct cup_item *item = task ? item_of(loader, task) : NULL;
    if (!item)
        return;
    item->reported = true;
    item->requested_bytes = told.requested_bytes;
    item->reported_entries =
        told.entries < CUP_NO_ENTRIES ? (uint32_t)told.entries : CUP_NO_ENTRIES;
    item->columns = cup_id_map_get(&loader->columns, told.columns);
    if (told.columns && !item->columns)
        loader->builder->profile->orphan_records++;
}

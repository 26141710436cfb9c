/* Work items of tasks, and what Coffea reports about them. */
#include "analysis/profile/load/loader.h"

/* Returns the item of the task, which is added if there is none yet; NULL without memory. */
static struct cup_item *item_of(struct cup_loader *loader, struct cup_task *task)
{
    if (task->item)
        return &profile_of(loader)->items[task->item - 1];
    struct cup_item *item = CUP_APPEND(loader->builder, items, item);
    if (!item)
        return NULL;
    *item = (struct cup_item){
        .task = (uint32_t)(task - profile_of(loader)->tasks),
        .entry_start = -1,
        .entry_stop = -1,
        .cpu_ns = CUP_UNKNOWN64,
        .requested_bytes = CUP_UNKNOWN64,
        .reported_entries = CUP_NO_ENTRIES,
    };
    task->item = (uint32_t)profile_of(loader)->item_count;
    return item;
}

void cup_load_item(struct cup_loader *loader, const struct cup_record *record)
{
    struct cup_r_item fixed = cup_read_item(record);
    struct cup_task *task = find_task(loader, fixed.task);
    struct cup_item *item = task ? item_of(loader, task) : NULL;
    if (!item)
        return;
    item->kind = fixed.kind < UINT8_MAX ? (uint8_t)fixed.kind : UINT8_MAX;
    item->source = cup_builder_item_source(
        loader->builder, (struct cup_item_source){
                             .dataset = string_of(loader, fixed.dataset),
                             .tree = string_of(loader, fixed.tree),
                             .columns = cup_source_of(profile_of(loader), item)->columns,
                         });
    item->file = string_of(loader, fixed.file);
    item->entry_start = fixed.entry_start;
    item->entry_stop = fixed.entry_stop;
}

void cup_load_chunk(struct cup_loader *loader, const struct cup_record *record)
{
    struct cup_r_chunk chunk = cup_read_chunk(record);
    chunk.tic_ns = time_of(loader, chunk.tic_ns);
    chunk.toc_ns = time_of(loader, chunk.toc_ns);
    note_last_time(loader, chunk.toc_ns);
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
    struct cup_r_columns columns = cup_read_columns(record);
    const unsigned char *tail = cup_record_tail(record);
    size_t held = cup_record_tail_bytes(record) / sizeof(uint32_t);
    size_t first = profile_of(loader)->column_name_count;
    for (size_t i = 0; i < columns.count && i < held; i++) {
        uint32_t id, *name = CUP_APPEND(loader->builder, column_names, column_name);
        if (!name)
            return;
        memcpy(&id, tail + i * sizeof id, sizeof id);
        *name = string_of(loader, id);
    }
    struct cup_column_set *set = CUP_APPEND(loader->builder, column_sets, column_set);
    if (!set)
        return;
    size_t count = profile_of(loader)->column_name_count - first;
    *set = (struct cup_column_set){(uint32_t)first, (uint32_t)count};
    cup_builder_map(loader->builder, &loader->columns, columns.id,
                    (uint32_t)profile_of(loader)->column_set_count);
}

void cup_load_chunk_report(struct cup_loader *loader, const struct cup_record *record)
{
    struct cup_r_chunk_report fixed = cup_read_chunk_report(record);
    struct cup_task *task = find_task(loader, fixed.task);
    struct cup_item *item = task ? item_of(loader, task) : NULL;
    if (!item)
        return;
    item->reported = true;
    item->requested_bytes = fixed.requested_bytes;
    item->reported_entries =
        fixed.entries < CUP_NO_ENTRIES ? (uint32_t)fixed.entries : CUP_NO_ENTRIES;
    struct cup_item_source source = *cup_source_of(profile_of(loader), item);
    source.columns = cup_id_map_get(&loader->columns, fixed.columns);
    item->source = cup_builder_item_source(loader->builder, source);
    if (fixed.columns && !source.columns)
        profile_of(loader)->orphan_records++;
}

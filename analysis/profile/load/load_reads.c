/* Single reads, for those who ask for them. */
#include "analysis/log/log_reads.h"
#include "analysis/profile/load/loader.h"

/* Until the end of the log, `task` and `file` are the log's own numbers: their records may come
 * after the record of the read. */
static void add_read(struct cup_loader *loader, const struct cup_read_row *row)
{
    struct cup_single_read *read = CUP_APPEND(loader->builder, single_reads, single_read);
    if (read)
        *read = (struct cup_single_read){.start_ns = time_of(loader, row->start_ns),
                                         .ns = row->ns,
                                         .offset = row->offset,
                                         .bytes = row->bytes,
                                         .process = loader->process,
                                         .task = cup_owner_of(loader, row->task, row->own),
                                         .file = row->file,
                                         .is_part = row->is_part};
}

void cup_load_reads(struct cup_loader *loader, const struct cup_record *record)
{
    struct cup_read_rows rows;
    if (!loader->options->reads)
        return;
    cup_read_rows_start(&rows, record);
    while (cup_read_rows_next(&rows))
        add_read(loader, &rows.row);
    profile_of(loader)->orphan_records += rows.damaged;
}

/* False: the options exclude the task, or the file has no record. */
static bool resolve_read(struct cup_loader *loader, struct cup_single_read *read)
{
    uint32_t task = read->task ? cup_id_map_get(&loader->tasks, read->task) : 0;
    uint32_t file = cup_id_map_get(&loader->files, read->file);
    if (task == CUP_UNWANTED_TASK || (read->task == 0 && is_selective(loader)))
        return false;
    profile_of(loader)->orphan_records += file == 0;
    read->task = task;
    read->file = file - 1;
    return file != 0;
}

void cup_load_read_owners(struct cup_loader *loader)
{
    struct cup_profile *profile = profile_of(loader);
    size_t count = profile->single_read_count, kept;
    for (kept = count; kept && profile->single_reads[kept - 1].process == loader->process;)
        kept--;
    for (size_t i = kept; i < count; i++)
        if (resolve_read(loader, &profile->single_reads[i]))
            profile->single_reads[kept++] = profile->single_reads[i];
    profile->single_read_count = kept;
}

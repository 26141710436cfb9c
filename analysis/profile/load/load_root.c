/* ROOT files: branches, baskets, trees, heads of files. */
#include "analysis/profile/load/loader.h"

#include "analysis/log/log_baskets.h"

/* ---- files, trees, branches --------------------------------------------------------------- */

/* Returns index + 1 of the ROOT file of a FILE record; 0 without memory. Files whose FILE record
 * is lost share one entry without a path. */
static uint32_t file_of_record(struct cup_loader *loader, uint32_t id)
{
    uint32_t known = cup_id_map_get(&loader->root_files, id);
    if (known)
        return known;
    uint32_t file = cup_id_map_get(&loader->files, id);
    profile_of(loader)->orphan_records += file == 0;
    if (!file)
        return cup_builder_root_file(loader->builder, 0);
    uint32_t index =
        cup_builder_root_file(loader->builder, profile_of(loader)->files[file - 1].path);
    cup_builder_map(loader->builder, &loader->root_files, id, index);
    return index;
}

/* Finds or adds the ROOT file of a FILE record or, if FILE is 0, of a path. Returns NULL without
 * memory. */
static struct cup_root_file *root_file_of(struct cup_loader *loader, uint32_t file, uint32_t path)
{
    uint32_t index = file ? file_of_record(loader, file)
                          : cup_builder_root_file(loader->builder, string_of(loader, path));
    return index ? &profile_of(loader)->root_files[index - 1] : NULL;
}

/* Sets the size of a remote file from fEND in its head: cupping cannot stat() such a file. */
static void note_size(struct cup_loader *loader, uint32_t id, uint64_t end)
{
    uint32_t index = cup_id_map_get(&loader->files, id);
    struct cup_file *file = index ? &profile_of(loader)->files[index - 1] : NULL;
    if (file && file->flags & CUP_FILE_IS_REMOTE && end > file->size)
        file->size = end;
}

void cup_load_root_file(struct cup_loader *loader, const struct cup_record *record)
{
    struct cup_r_root_file fixed = cup_read_root_file(record);
    struct cup_root_file *file = root_file_of(loader, fixed.file, 0);
    if (!file)
        return;
    file->version = fixed.version;
    file->compression = fixed.compression;
    file->end = fixed.end;
    note_size(loader, fixed.file, fixed.end);
}

void cup_load_tree(struct cup_loader *loader, const struct cup_record *record)
{
    struct cup_r_tree fixed = cup_read_tree(record);
    struct cup_root_file *file = root_file_of(loader, fixed.file, fixed.path);
    if (!file)
        return;
    const struct cup_ttree tree = {
        .root_file = (uint32_t)(file - profile_of(loader)->root_files),
        .name = string_of(loader, fixed.tree),
        .branches = fixed.branches,
        .entries = fixed.entries,
        .compressed_bytes = fixed.compressed_bytes,
        .uncompressed_bytes = fixed.uncompressed_bytes,
        .auto_flush = fixed.auto_flush,
    };
    cup_builder_ttree(loader->builder, &tree);
}

void cup_load_branch(struct cup_loader *loader, const struct cup_record *record)
{
    struct cup_r_branch fixed = cup_read_branch(record);
    uint32_t branch = cup_builder_branch(loader->builder, string_of(loader, fixed.tree),
                                         string_of(loader, fixed.name));
    cup_builder_map(loader->builder, &loader->branches, fixed.branch, branch);
    struct cup_branch_number *number = CUP_APPEND(loader->builder, branch_numbers, branch_number);
    if (!number)
        return;
    *number = (struct cup_branch_number){fixed.branch, branch};
    profile_of(loader)->processes[loader->process].branches++;
}

/* Returns index + 1 of the branch with that number in the log; 0 without memory. Number 0 and
 * branches whose BRANCH record is lost share one entry without names. */
static uint32_t branch_of(struct cup_loader *loader, uint32_t number)
{
    uint32_t known = cup_id_map_get(&loader->branches, number);
    if (known)
        return known;
    profile_of(loader)->orphan_records += number != 0;
    return cup_builder_branch(loader->builder, 0, 0);
}

/* ---- did a task read its whole entry range? ----------------------------------------------- */

/* True if the tree of a work item is the tree of a branch. The last answer is cached, because
 * successive tasks have the same two names. */
static bool is_tree(struct cup_loader *loader, uint32_t item_tree, uint32_t branch_tree)
{
    if (item_tree != loader->item_tree || branch_tree != loader->branch_tree) {
        loader->item_tree = item_tree;
        loader->branch_tree = branch_tree;
        loader->same_tree = item_tree && cup_same_tree(profile_of(loader), item_tree, branch_tree);
    }
    return loader->same_tree;
}

/* Estimates how many different entries a row has read: baskets that were read again do not count,
 * and are assumed to have the mean number of entries. */
static uint64_t entries_of(const uint64_t *values)
{
    uint64_t entries = values[CUP_BV_ENTRIES], baskets = values[CUP_BV_BASKETS];
    return values[CUP_BV_AGAIN] == 0
               ? entries
               : (uint64_t)((double)entries * (double)(baskets - values[CUP_BV_AGAIN]) /
                            (double)baskets);
}

static void check_entries(struct cup_loader *loader, struct cup_item *item,
                          const struct cup_branch *branch)
{
    if (item->entries_read == CUP_ENTRIES_READ || branch->last_entries == 0)
        return;
    uint64_t events = cup_item_events(item);
    if (events != CUP_UNKNOWN64 &&
        is_tree(loader, cup_source_of(profile_of(loader), item)->tree, branch->tree))
        item->entries_read =
            branch->last_entries >= events ? CUP_ENTRIES_READ : CUP_ENTRIES_MISSING;
}

/* ---- baskets ------------------------------------------------------------------------------ */

/* Who read the baskets of a record, and how cupping knows. */
struct reader {
    uint32_t task;         /* index + 1; 0: not known */
    struct cup_item *item; /* NULL: none */
    enum cup_baskets_source source;
};

/* Counts the task as a reader of the branch. The records of a task are next to each other in the
 * log, so it is enough to remember the last task. Returns true if the task has not read this
 * branch before. */
static bool count_task(struct cup_branch *branch, const struct reader *reader)
{
    if (reader->task == 0 || branch->last_task == reader->task)
        return false;
    branch->last_task = reader->task;
    branch->last_entries = 0;
    branch->tasks++;
    branch->chunks += cup_item_is_chunk(reader->item);
    return true;
}

/* Adds a row to the sums of its branch. Returns true if the task has not read this branch before.
 */
static bool add_row(struct cup_loader *loader, const struct cup_basket_row *row,
                    const struct reader *reader)
{
    uint32_t index = branch_of(loader, row->branch);
    if (index == 0)
        return false;
    struct cup_branch *branch = &profile_of(loader)->branches[index - 1];
    cup_basket_sums_add_values(&branch->sums, row->values, reader->source);
    if (row->values[CUP_BV_BASKETS] == 0)
        return false;
    bool first = count_task(branch, reader);
    if (reader->item) {
        branch->last_entries += entries_of(row->values);
        check_entries(loader, reader->item, branch);
    }
    return first;
}

static void add_to_task(struct cup_task_baskets *task, const struct cup_basket_sums *sums,
                        uint64_t branches)
{
    const struct cup_task_baskets more = {
        .baskets = sums->baskets,
        .compressed = sums->compressed,
        .uncompressed = sums->uncompressed,
        .key_bytes = sums->key_bytes,
        .unseen_compressed = sums->unseen_compressed,
        .again_bytes = sums->again_bytes,
        .incidental = sums->incidental,
        .incidental_bytes = sums->incidental_bytes,
        .branches = branches,
    };
    cup_task_baskets_add(task, &more);
}

static void add_sums(struct cup_loader *loader, struct cup_root_file *file,
                     const struct reader *reader, const struct cup_basket_sums *sums,
                     uint64_t branches, uint32_t rows)
{
    struct cup_profile *profile = profile_of(loader);
    cup_basket_sums_add(&file->sums, sums);
    file->records++;
    file->rows += rows;
    if (reader->task == 0)
        cup_basket_sums_add(&profile->without_task, sums);
    else if (profile->baskets)
        add_to_task(&profile->baskets[reader->task - 1], sums, branches);
}

static struct cup_item *item_of(struct cup_profile *profile, uint32_t task)
{
    uint32_t item = task ? profile->tasks[task - 1].item : 0;
    return item ? &profile->items[item - 1] : NULL;
}

/* Adds the values of a row to those of the rows before. */
static void sum_values(uint64_t *restrict sums, const uint64_t *restrict values)
{
    uint64_t algorithms = sums[CUP_BV_ALGORITHMS] | values[CUP_BV_ALGORITHMS];
#define X(id, name, kind, text) sums[CUP_BV_##id] += values[CUP_BV_##id];
    CUP_BASKET_VALUES(X)
#undef X
    sums[CUP_BV_ALGORITHMS] = algorithms;
}

/* Adds the rows of a record of a loaded task. */
static void add_rows(struct cup_loader *loader, struct cup_basket_reader *rows, uint32_t task,
                     uint32_t at)
{
    struct cup_profile *profile = profile_of(loader);
    struct cup_root_file *file = root_file_of(loader, rows->fixed.file, rows->fixed.path);
    const struct reader reader = {task, item_of(profile, task), rows->fixed.source};
    struct cup_basket_sums sums = {.incidental = rows->fixed.incidental,
                                   .incidental_bytes = rows->fixed.incidental_bytes};
    uint64_t values[CUP_BV_COUNT] = {0}, branches = 0;
    if (!file)
        return;
    while (cup_basket_reader_next(rows)) {
        branches += add_row(loader, &rows->row, &reader);
        sum_values(values, rows->row.values);
    }
    cup_basket_sums_add_values(&sums, values, reader.source);
    profile->damaged_baskets += rows->damaged;
    profile->basket_rows += rows->count;
    add_sums(loader, file, &reader, &sums, branches, rows->count);
    const struct cup_basket_place place = {.process = loader->process, .at = at, .task = task};
    cup_builder_basket_place(loader->builder, (uint32_t)(file - profile->root_files), &place);
}

void cup_load_baskets(struct cup_loader *loader, const struct cup_record *record)
{
    struct cup_basket_reader rows;
    cup_basket_reader_start(&rows, record);
    uint32_t number = rows.fixed.task;
    uint32_t task = number ? cup_id_map_get(&loader->tasks, number) : 0;
    if (task == CUP_UNWANTED_TASK || (number == 0 && is_selective(loader)))
        return;
    if (rows.fixed.source < CUP_BASKETS_REQUESTED || rows.fixed.source > CUP_BASKETS_EMBEDDED) {
        profile_of(loader)->damaged_baskets++;
        return;
    }
    profile_of(loader)->orphan_records += number && !task && !loader->log->totals;
    add_rows(loader, &rows, task, record_place(loader));
}

#include "analysis/metrics/reads/branches.h"

#include <stdlib.h>

#include "analysis/base/array.h"
#include "analysis/base/id_map.h"
#include "analysis/metrics/reads/file_branches.h"
#include "analysis/metrics/sums/sums.h"

/* ---- sums --------------------------------------------------------------------------------- */

static void add_files(struct cup_branches *branches)
{
    const struct cup_profile *profile = branches->profile;
    for (size_t i = 0; i < profile->root_file_count; i++)
        cup_basket_sums_add(&branches->all, &profile->root_files[i].sums);
    branches->without_task = profile->without_task;
}

static int find_root_files(struct cup_branches *branches)
{
    const struct cup_profile *profile = branches->profile;
    struct cup_id_map by_path = {0};
    int result = 0;
    for (uint32_t i = 0; result == 0 && i < profile->root_file_count; i++)
        result = cup_id_map_set(&by_path, profile->root_files[i].path, i + 1);
    for (size_t i = 0; result == 0 && i < profile->file_count; i++)
        if (profile->files[i].path)
            branches->root_of[i] = cup_id_map_get(&by_path, profile->files[i].path);
    cup_id_map_clear(&by_path);
    return result;
}

/* Adds up what tasks read from files in which baskets were recognised. */
static void add_file_bytes(struct cup_branches *branches)
{
    const struct cup_profile *profile = branches->profile;
    for (size_t i = 0; i < profile->file_sum_count; i++) {
        const struct cup_file_sum *sum = &profile->file_sums[i];
        uint32_t root = branches->root_of[sum->file];
        const struct cup_basket_sums *sums = root ? &profile->root_files[root - 1].sums : NULL;
        if (sums && sums->baskets > sums->unseen && sum->prefix != CUP_NO_PREFIX)
            branches->file_bytes += sum->counters[CUP_F_READ_BYTES];
    }
}

/* Makes a row for each branch that was read. */
static void add_branches(struct cup_branches *branches)
{
    const struct cup_profile *profile = branches->profile;
    for (uint32_t i = 0; i < profile->branch_count; i++) {
        const struct cup_branch *branch = &profile->branches[i];
        if (branch->sums.baskets == 0)
            continue;
        branches->rows[branches->count++] = (struct cup_branch_row){.branch = i + 1,
                                                                    .tree = branch->tree,
                                                                    .name = branch->name,
                                                                    .tasks = branch->tasks,
                                                                    .chunks = branch->chunks,
                                                                    .sums = branch->sums};
        if (branch->name == 0)
            cup_basket_sums_add(&branches->pages, &branch->sums);
    }
}

static void add_events(struct cup_branches *branches, const struct cup_totals *totals)
{
    const struct cup_profile *profile = branches->profile;
    for (size_t i = 0; i < profile->item_count; i++) {
        if (totals->outcomes[i] != CUP_OUTCOME_USED)
            continue;
        uint8_t read = profile->items[i].entries_read;
        branches->events_checked += read != CUP_ENTRIES_UNKNOWN;
        branches->events_unsupported += read == CUP_ENTRIES_MISSING;
    }
    for (size_t i = 0; i < profile->task_sum_count; i++) {
        const struct cup_task_sum *sum = &profile->task_sums[i];
        if (!cup_task_sum_was_used(profile, sum))
            continue;
        branches->events_checked += sum->values[CUP_T_ENTRIES_KNOWN];
        branches->events_unsupported += sum->values[CUP_T_ENTRIES_MISSING];
    }
}

static int more_bytes_first(const void *left, const void *right)
{
    const struct cup_branch_row *a = left, *b = right;
    if (a->sums.compressed != b->sums.compressed)
        return a->sums.compressed > b->sums.compressed ? -1 : 1;
    return (a->branch > b->branch) - (a->branch < b->branch);
}

/* ---- trees -------------------------------------------------------------------------------- */

static uint64_t add_known(uint64_t one, uint64_t other)
{
    return one == CUP_UNKNOWN64 || other == CUP_UNKNOWN64 ? CUP_UNKNOWN64 : one + other;
}

/* Adds up the trees of one file that have the name of TREE, the first of them: rows do not tell
 * them apart. They may have branches in common, so their number of branches is not known (0). */
static struct cup_ttree merge_trees(const struct cup_profile *profile, const struct cup_ttree *tree)
{
    struct cup_ttree all = *tree;
    for (uint32_t at = tree->next; at; at = profile->ttrees[at - 1].next) {
        const struct cup_ttree *other = &profile->ttrees[at - 1];
        if (!cup_same_tree(profile, other->name, tree->name))
            continue;
        all.branches = 0;
        all.compressed_bytes = add_known(all.compressed_bytes, other->compressed_bytes);
        all.uncompressed_bytes = add_known(all.uncompressed_bytes, other->uncompressed_bytes);
    }
    return all;
}

static void add_tree(struct cup_branches_file *file, const struct cup_ttree *tree)
{
    bool sized = tree->compressed_bytes != CUP_UNKNOWN64;
    file->trees_known += sized;
    file->tree_branches += tree->branches;
    file->tree_compressed += sized ? tree->compressed_bytes : 0;
    if (tree->uncompressed_bytes != CUP_UNKNOWN64)
        file->tree_uncompressed += tree->uncompressed_bytes;
}

/* ---- file by file ------------------------------------------------------------------------- */

/* Adds a row to the sums of its file. Rows of one tree are adjacent; NEW_TREE marks the first of
 * them. */
static void add_file_row(struct cup_branches_file *file, const struct cup_profile *profile,
                         const struct cup_branch_row *row, bool new_tree)
{
    const struct cup_ttree *first = cup_ttree_named(profile, row->root_file - 1, row->tree);
    file->branches += row->name != 0;
    if (row->rereads_known)
        cup_add_numbers(&file->rereads, &row->rereads, sizeof row->rereads);
    if (!first)
        return;
    const struct cup_ttree tree = merge_trees(profile, first);
    if (new_tree)
        add_tree(file, &tree);
    file->branches_of_trees += tree.branches != 0 && row->sums.baskets > row->sums.embedded;
    if (tree.compressed_bytes != CUP_UNKNOWN64)
        file->read_of_trees += cup_distinct_bytes(&row->sums, &row->rereads);
}

static void add_to_branch(struct cup_branch_row *sum, const struct cup_branch_row *row)
{
    sum->files++;
    sum->rereads_known = row->rereads_known;
    cup_add_numbers(&sum->rereads, &row->rereads, sizeof row->rereads);
}

/* Adds the rows of a file. sum_of: by branch, index + 1 in branches->rows. */
static void add_file(struct cup_branches *branches, const struct cup_file_branches *file,
                     uint32_t index, const uint32_t *sum_of)
{
    struct cup_branches_file *sums = &branches->files[index];
    sums->tasks = file->tasks;
    sums->rereads_known = true;
    for (size_t i = 0; i < file->count; i++) {
        const struct cup_branch_row *row = &file->rows[i];
        bool new_tree = i == 0 || row->tree != row[-1].tree;
        add_file_row(sums, branches->profile, row, new_tree);
        if (sum_of[row->branch])
            add_to_branch(&branches->rows[sum_of[row->branch] - 1], row);
    }
    branches->file_rows += file->count;
    cup_add_numbers(&branches->total.branches, &sums->branches,
                    sizeof *sums - offsetof(struct cup_branches_file, branches));
}

static int add_all_files(struct cup_branches *branches, const struct cup_totals *totals,
                         const uint32_t *sum_of)
{
    struct cup_file_branches file;
    int result = cup_file_branches_open(&file, totals);
    if (result != 0)
        return -1;
    for (uint32_t i = 0; result == 0 && i < branches->profile->root_file_count; i++) {
        result = cup_file_branches_read(&file, i);
        if (result == 0)
            add_file(branches, &file, i, sum_of);
    }
    branches->lost_records = cup_file_branches_close(&file);
    return result;
}

static int find_rereads(struct cup_branches *branches, const struct cup_totals *totals)
{
    uint32_t *sum_of = calloc(branches->profile->branch_count + 1, sizeof *sum_of);
    if (!sum_of)
        return -1;
    for (size_t i = 0; i < branches->count; i++)
        sum_of[branches->rows[i].branch] = (uint32_t)i + 1;
    int result = add_all_files(branches, totals, sum_of);
    free(sum_of);
    branches->rereads_known = result == 0 && branches->lost_records == 0;
    branches->total.rereads_known = branches->rereads_known;
    for (size_t i = 0; i < branches->count && !branches->rereads_known; i++)
        branches->rows[i].rereads_known = false;
    return result;
}

/* True if some process read baskets, but could not read uproot's lists of requests. */
static bool lacks_requests(const struct cup_profile *profile)
{
    for (uint32_t i = 0; i < profile->process_count; i++)
        if (cup_process_is_worker(&profile->processes[i]) &&
            profile->processes[i].header.health[CUP_H_BASKETS_SEEN] &&
            !cup_process_has(profile, i, CUP_FEATURE_REQUESTED))
            return true;
    return false;
}

/* ---- all of it ---------------------------------------------------------------------------- */

int cup_branches_make(struct cup_branches *branches, const struct cup_totals *totals)
{
    const struct cup_profile *profile = totals->profile;
    *branches = (struct cup_branches){.profile = profile};
    branches->rows = malloc((profile->branch_count + 1) * sizeof *branches->rows);
    branches->files = calloc(profile->root_file_count + 1, sizeof *branches->files);
    branches->root_of = calloc(profile->file_count + 1, sizeof *branches->root_of);
    if (!branches->rows || !branches->files || !branches->root_of || find_root_files(branches) != 0)
        return -1;
    add_files(branches);
    add_file_bytes(branches);
    add_branches(branches);
    add_events(branches, totals);
    branches->at_most = branches->all.by_place && lacks_requests(profile);
    qsort(branches->rows, branches->count, sizeof *branches->rows, more_bytes_first);
    bool all_placed = !profile->basket_places_dropped && !profile->full_log_tasks;
    return all_placed ? find_rereads(branches, totals) : 0;
}

uint64_t cup_branches_files(const struct cup_branches *branches, uint64_t *sized)
{
    const struct cup_profile *profile = branches->profile;
    uint64_t files = 0;
    *sized = 0;
    for (size_t i = 0; i < profile->root_file_count; i++) {
        bool is_read = profile->root_files[i].sums.baskets > 0;
        files += is_read;
        *sized += is_read && branches->files[i].trees_known > 0;
    }
    return files;
}

const char *cup_branches_of_files(char to[CUP_LINE_ROOM], const struct cup_branches *branches)
{
    uint64_t sized, files = cup_branches_files(branches, &sized);
    if (sized == 0 || sized == files)
        return "";
    return cup_format(to, " in %s of %s", CUP_SHOW_COUNT(sized), CUP_SHOW_COUNTED(files, "file"));
}

void cup_branches_free(struct cup_branches *branches)
{
    free(branches->rows);
    free(branches->files);
    free(branches->root_of);
    *branches = (struct cup_branches){0};
}

int cup_branches_each(const struct cup_totals *totals,
                      bool (*visit)(void *context, const struct cup_branch_row *rows, size_t count),
                      void *context)
{
    struct cup_file_branches file;
    int result = cup_file_branches_open(&file, totals);
    bool more = true;
    if (result != 0)
        return -1;
    for (uint32_t i = 0; result == 0 && more && i < totals->profile->root_file_count; i++) {
        result = cup_file_branches_read(&file, i);
        if (result == 0 && file.count)
            more = visit(context, file.rows, file.count);
    }
    cup_file_branches_close(&file);
    return result;
}

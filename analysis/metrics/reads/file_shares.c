#include "analysis/metrics/reads/file_shares.h"

#include <stdlib.h>

#include "analysis/profile/summed_text.h"

/* ---- one row ------------------------------------------------------------------------------ */

const struct cup_file_fact *cup_row_facts(const struct cup_file_shares *shares,
                                          const struct cup_branch_row *row)
{
    const struct cup_profile *profile = shares->totals->profile;
    return cup_file_facts(shares->facts, cup_profile_text(profile, row->file),
                          shares->sizes[row->root_file - 1], cup_profile_text(profile, row->tree));
}

struct cup_value cup_share_of_branches(const struct cup_file_share *share)
{
    return cup_ratio(100.0 * (double)share->branches_read, (double)share->branches);
}

struct cup_value cup_share_of_bytes(const struct cup_file_share *share)
{
    return cup_value_if(share->bytes_known,
                        cup_ratio(100.0 * (double)share->bytes_read, (double)share->bytes));
}

/* ---- a file ------------------------------------------------------------------------------- */

static void add_tree(struct cup_file_share *share, const struct cup_root_tree *tree)
{
    share->branches += tree->branch_count;
    for (size_t i = 0; i < tree->branch_count; i++)
        share->bytes += tree->branches[i].compressed_bytes;
}

static void add_row(struct cup_file_share *share, const struct cup_branch_row *row)
{
    share->branches_read += row->name != 0 && row->sums.baskets > 0;
    share->bytes_read += cup_distinct_bytes(&row->sums, &row->rereads);
    share->bytes_known &= row->rereads_known;
}

/* Adds the first rows, up to the last one of the same tree. Returns how many. *most: most bytes
 * read from one tree so far. */
static size_t add_rows(const struct cup_file_shares *shares, struct cup_file_share *share,
                       const struct cup_branch_row *rows, size_t count, uint64_t *most)
{
    const struct cup_file_fact *fact = cup_row_facts(shares, rows);
    uint64_t bytes = 0;
    size_t i = 0;
    for (; i < count && rows[i].tree == rows[0].tree; i++) {
        bytes += rows[i].sums.compressed;
        add_row(share, &rows[i]);
    }
    share->reason = share->reason ? share->reason : fact->reason;
    add_tree(share, &fact->tree);
    if (bytes >= *most) {
        *most = bytes;
        share->clusters = fact->tree.border_count;
        share->cluster_events = fact->tree.cluster_entries;
    }
    return i;
}

static void add_to_all(struct cup_file_shares *shares, const struct cup_file_share *share)
{
    struct cup_file_share *all = &shares->all;
    shares->known += !share->reason;
    shares->unknown += share->reason != NULL;
    if (share->reason) {
        all->reason = all->reason ? all->reason : share->reason;
        return;
    }
    all->branches += share->branches;
    all->bytes += share->bytes;
    all->branches_read += share->branches_read;
    all->bytes_read += share->bytes_read;
    all->bytes_known &= share->bytes_known;
}

static bool add_file(void *context, const struct cup_branch_row *rows, size_t count)
{
    struct cup_file_shares *shares = context;
    struct cup_file_share *share = &shares->files[rows[0].root_file - 1];
    uint64_t most = 0;
    *share = (struct cup_file_share){.bytes_known = true};
    for (size_t i = 0; i < count;)
        i += add_rows(shares, share, rows + i, count - i, &most);
    add_to_all(shares, share);
    return true;
}

/* ---- all of them -------------------------------------------------------------------------- */

/* A file's size is the largest that any process recorded. Without one, as for remote files, it is
 * what the head of the ROOT file says. */
static void find_sizes(struct cup_file_shares *shares)
{
    const struct cup_profile *profile = shares->totals->profile;
    for (size_t i = 0; i < profile->root_file_count; i++)
        shares->sizes[i] = profile->root_files[i].end;
    for (size_t i = 0; i < profile->file_count; i++) {
        uint32_t root = shares->totals->branches->root_of[i];
        if (root && profile->files[i].size)
            shares->sizes[root - 1] = profile->files[i].size;
    }
}

static int fill_in(struct cup_file_shares *shares)
{
    size_t count = shares->totals->profile->root_file_count;
    shares->files = malloc((count + 1) * sizeof *shares->files);
    shares->sizes = malloc((count + 1) * sizeof *shares->sizes);
    if (!shares->files || !shares->sizes)
        return -1;
    for (size_t i = 0; i < count; i++)
        shares->files[i] = (struct cup_file_share){.reason = shares->totals->profile->tasks_summed
                                                                 ? CUP_SUMMED
                                                                 : "no basket of it was read"};
    find_sizes(shares);
    bool all_placed = !shares->totals->profile->full_log_tasks;
    return all_placed ? cup_branches_each(shares->totals, add_file, shares) : 0;
}

int cup_file_shares_make(struct cup_file_shares *shares, const struct cup_totals *totals,
                         const char *directory, struct cup_error *error)
{
    *shares = (struct cup_file_shares){
        .totals = totals,
        .facts = cup_file_facts_open(directory, totals->run.stop_ns, error),
        .all.bytes_known = true};
    if (!shares->facts)
        return -1;
    return fill_in(shares) == 0 ? 0 : cup_error_memory(error, totals->profile->path);
}

void cup_file_shares_free(struct cup_file_shares *shares)
{
    cup_file_facts_free(shares->facts);
    free(shares->files);
    free(shares->sizes);
    *shares = (struct cup_file_shares){0};
}

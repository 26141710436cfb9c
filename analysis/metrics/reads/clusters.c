#include "analysis/metrics/reads/clusters.h"

#include <math.h>

#include "analysis/metrics/reads/branches.h"
#include "analysis/metrics/sums/sums.h"

/* That of the first used chunk that names one; 0: none does. */
static uint32_t tree_of_chunks(const struct cup_totals *totals)
{
    for (size_t i = 0; i < totals->profile->item_count; i++)
        if (totals->outcomes[i] == CUP_OUTCOME_USED && totals->profile->items[i].tree)
            return totals->profile->items[i].tree;
    return 0;
}

/* The value of more than half of the trees of that name (Boyer and Moore's vote); NAN: none. */
static double told_by_trees(const struct cup_profile *profile, uint32_t name)
{
    int64_t flush = 0;
    long votes = 0;
    size_t same = 0, all = 0;
    for (size_t i = 0; i < profile->ttree_count; i++) {
        if (!cup_same_tree(profile, profile->ttrees[i].name, name))
            continue;
        if (votes == 0)
            flush = profile->ttrees[i].auto_flush;
        votes += profile->ttrees[i].auto_flush == flush ? 1 : -1;
    }
    for (size_t i = 0; i < profile->ttree_count; i++) {
        bool is_one = cup_same_tree(profile, profile->ttrees[i].name, name);
        all += is_one;
        same += is_one && profile->ttrees[i].auto_flush == flush;
    }
    return flush > 0 && 2 * same > all ? (double)flush : NAN;
}

/* Of the branches that were read of a file; NAN: not known. */
static double entries_a_basket(const struct cup_basket_sums *sums)
{
    double seen = (double)(sums->baskets - sums->unseen);
    return sums->entries && seen > 0 ? (double)sums->entries / seen : NAN;
}

/* Files whose baskets differ in entries by more than a quarter have no cluster in common. */
static bool files_differ(const struct cup_profile *profile)
{
    double least = NAN, most = NAN;
    for (size_t i = 0; i < profile->root_file_count; i++) {
        double entries = entries_a_basket(&profile->root_files[i].sums);
        least = fmin(least, entries);
        most = fmax(most, entries);
    }
    return most > 1.25 * least;
}

static double told_by_baskets(const struct cup_totals *totals, uint32_t name)
{
    double most = NAN;
    if (files_differ(totals->profile))
        return NAN;
    for (size_t i = 0; i < totals->branches->count; i++) {
        const struct cup_branch_row *row = &totals->branches->rows[i];
        if (row->sums.entries && cup_same_tree(totals->profile, row->tree, name))
            most = fmax(most, entries_a_basket(&row->sums));
    }
    return most;
}

struct cup_cluster cup_cluster_find(const struct cup_totals *totals)
{
    uint32_t tree = tree_of_chunks(totals);
    if (tree == 0)
        return (struct cup_cluster){NAN, false};
    double told = told_by_trees(totals->profile, tree);
    return isnan(told) ? (struct cup_cluster){told_by_baskets(totals, tree), false}
                       : (struct cup_cluster){told, true};
}

#include "analysis/metrics/reads/clusters.h"

#include <math.h>

#include "analysis/metrics/reads/branches.h"
#include "analysis/metrics/sums/sums.h"

/* The name of the tree that the first used chunk reads; 0: no chunk names one. */
static uint32_t tree_of_chunks(const struct cup_totals *totals)
{
    const struct cup_profile *profile = totals->profile;
    uint32_t tree = 0;
    for (size_t i = 0; i < profile->item_count && !tree; i++)
        if (totals->outcomes[i] == CUP_OUTCOME_USED)
            tree = cup_source_of(profile, &profile->items[i])->tree;
    return tree;
}

/* fAutoFlush of the trees of that name, if more than half of them agree (Boyer and Moore's majority
 * vote) and it counts events; else NAN. */
static double auto_flush_of_trees(const struct cup_profile *profile, uint32_t name)
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

/* Mean entries per basket, over all branches; NAN: not known. */
static double entries_per_basket(const struct cup_basket_sums *sums)
{
    double seen = (double)(sums->baskets - sums->unseen);
    return sums->entries && seen > 0 ? (double)sums->entries / seen : NAN;
}

/* Whether the entries per basket of two files differ by more than a quarter: then no one cluster
 * size fits all files. */
static bool files_differ(const struct cup_profile *profile)
{
    double least = NAN, most = NAN;
    for (size_t i = 0; i < profile->root_file_count; i++) {
        double entries = entries_per_basket(&profile->root_files[i].sums);
        least = fmin(least, entries);
        most = fmax(most, entries);
    }
    return most > 1.25 * least;
}

static double entries_of_baskets(const struct cup_totals *totals, uint32_t name)
{
    double most = NAN;
    if (files_differ(totals->profile))
        return NAN;
    for (size_t i = 0; i < totals->branches->count; i++) {
        const struct cup_branch_row *row = &totals->branches->rows[i];
        if (row->sums.entries && cup_same_tree(totals->profile, row->tree, name))
            most = fmax(most, entries_per_basket(&row->sums));
    }
    return most;
}

struct cup_cluster cup_cluster_find(const struct cup_totals *totals)
{
    uint32_t tree = tree_of_chunks(totals);
    if (tree == 0)
        return (struct cup_cluster){NAN, false};
    double events = auto_flush_of_trees(totals->profile, tree);
    return isnan(events) ? (struct cup_cluster){entries_of_baskets(totals, tree), false}
                         : (struct cup_cluster){events, true};
}

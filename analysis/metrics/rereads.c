/* What was read twice. A task tells of a branch where its first and its last basket begin, not what
 * lies between: that is taken for unbroken, as the baskets of an entry range are. Two tasks then
 * have in common nothing; the basket where one ends and the other begins; all of what one of them
 * read; or, where they overlap in part, some number of baskets that only their mean size tells. */
#include "analysis/metrics/file_branches.h"

#include <stdlib.h>

void cup_rereads_add(struct cup_rereads *sums, const struct cup_rereads *more)
{
    sums->baskets += more->baskets;
    sums->bytes += more->bytes;
    sums->same_task += more->same_task;
    sums->same_task_bytes += more->same_task_bytes;
    sums->border += more->border;
    sums->border_bytes += more->border_bytes;
    sums->estimated += more->estimated;
    sums->estimated_bytes += more->estimated_bytes;
    sums->wasted += more->wasted;
    sums->wasted_bytes += more->wasted_bytes;
}

/* Of those that begin together the longest comes first, and covers the others. */
static int by_place(const void *left, const void *right)
{
    const struct cup_branch_visit *a = left, *b = right;
    if (a->first != b->first)
        return a->first < b->first ? -1 : 1;
    return (a->last < b->last) - (a->last > b->last);
}

static bool is_sorted(const struct cup_branch_visit *visits, size_t count)
{
    for (size_t i = 1; i < count; i++)
        if (by_place(&visits[i - 1], &visits[i]) > 0)
            return false;
    return true;
}

static void add(struct cup_rereads *rereads, uint64_t baskets, uint64_t bytes)
{
    rereads->baskets += baskets;
    rereads->bytes += bytes;
}

static uint64_t mean_bytes(const struct cup_branch_visit *visit)
{
    return visit->baskets ? visit->bytes / visit->baskets : 0;
}

/* The basket that begins where the others end is theirs, too. */
static void add_border(struct cup_rereads *rereads, const struct cup_branch_visit *visit)
{
    uint64_t bytes = visit->baskets == 1  ? visit->bytes
                     : visit->first_bytes ? visit->first_bytes
                                          : mean_bytes(visit);
    add(rereads, 1, bytes);
    rereads->border++;
    rereads->border_bytes += bytes;
    if (visit->baskets > 1 && !visit->first_bytes) {
        rereads->estimated++;
        rereads->estimated_bytes += bytes;
    }
}

/* COVERED, the last basket of others, lies within the visit; the last one of it is not theirs. Of
 * two baskets it is the first. */
static void add_part(struct cup_rereads *rereads, const struct cup_branch_visit *visit,
                     uint64_t covered)
{
    double share = (double)(covered - visit->first) / (double)(visit->last - visit->first);
    uint64_t most = visit->baskets > 1 ? visit->baskets - 1 : 1;
    uint64_t baskets = 1 + (uint64_t)(share * (double)(most - 1) + 0.5);
    uint64_t bytes = baskets * mean_bytes(visit);
    if (visit->baskets <= 2 && visit->first_bytes) {
        add(rereads, 1, visit->first_bytes);
        return;
    }
    add(rereads, baskets, bytes);
    rereads->estimated += baskets;
    rereads->estimated_bytes += bytes;
}

/* In the order of places. WASTED ones count only if asked for. */
static struct cup_rereads sweep(const struct cup_branch_visit *visits, size_t count, bool wasted)
{
    struct cup_rereads rereads = {0};
    uint64_t covered = 0;
    bool any = false;
    for (size_t i = 0; i < count; i++) {
        const struct cup_branch_visit *visit = &visits[i];
        if (visit->baskets == 0 || (visit->wasted && !wasted))
            continue;
        if (any && visit->first == covered)
            add_border(&rereads, visit);
        else if (any && visit->last <= covered)
            add(&rereads, visit->baskets, visit->bytes);
        else if (any && visit->first < covered)
            add_part(&rereads, visit, covered);
        if (!any || visit->last > covered)
            covered = visit->last;
        any = true;
    }
    return rereads;
}

static bool any_wasted(const struct cup_branch_visit *visits, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (visits[i].wasted)
            return true;
    return false;
}

struct cup_rereads cup_rereads_of(struct cup_branch_visit *visits, size_t count)
{
    if (!is_sorted(visits, count))
        qsort(visits, count, sizeof *visits, by_place);
    struct cup_rereads all = sweep(visits, count, true);
    if (any_wasted(visits, count)) {
        const struct cup_rereads used = sweep(visits, count, false);
        all.wasted = all.baskets > used.baskets ? all.baskets - used.baskets : 0;
        all.wasted_bytes = all.bytes > used.bytes ? all.bytes - used.bytes : 0;
    }
    return all;
}

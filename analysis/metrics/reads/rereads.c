/* Finds baskets that several tasks read. Of each branch a task recorded the first basket, the last
 * basket and the number of different baskets; the baskets between are taken to be read without a
 * gap, as they are for an entry range. Two tasks then have in common:
 * - nothing;
 * - one basket, where the range of one ends and that of the other begins (a border);
 * - all baskets of one of them;
 * - a part, if their ranges overlap: how many baskets that is, and their bytes, is estimated by
 *   the mean basket.
 *
 * Records with basket numbers are not compared with records that have only positions in the file.
 */
#include "analysis/metrics/reads/file_branches.h"

#include <stdlib.h>

/* Ascending by first basket. Of visits with the same first basket the longest comes first, because
 * it covers the others. */
static int by_first_basket(const void *left, const void *right)
{
    const struct cup_branch_visit *a = left, *b = right;
    if (a->by_number != b->by_number)
        return a->by_number < b->by_number ? -1 : 1;
    if (a->first != b->first)
        return a->first < b->first ? -1 : 1;
    return (a->last < b->last) - (a->last > b->last);
}

static bool is_sorted(const struct cup_branch_visit *visits, size_t count)
{
    for (size_t i = 1; i < count; i++)
        if (by_first_basket(&visits[i - 1], &visits[i]) > 0)
            return false;
    return true;
}

/* ---- parts of a task ------------------------------------------------------------------------ */

static int by_task(const void *left, const void *right)
{
    const struct cup_branch_visit *a = left, *b = right;
    if (a->task != b->task)
        return a->task < b->task ? -1 : 1;
    return (a->by_number > b->by_number) - (a->by_number < b->by_number);
}

/* Bytes of the first or last basket. A visit of one basket records them only as `bytes`. */
static uint32_t end_bytes(const struct cup_branch_visit *visit, uint32_t recorded)
{
    return visit->baskets == 1 ? (uint32_t)visit->bytes : recorded;
}

static void extend_visit(struct cup_branch_visit *whole, const struct cup_branch_visit *part)
{
    uint32_t first = end_bytes(part->first < whole->first ? part : whole,
                               part->first < whole->first ? part->first_bytes : whole->first_bytes);
    uint32_t last = end_bytes(part->last > whole->last ? part : whole,
                              part->last > whole->last ? part->last_bytes : whole->last_bytes);
    whole->first = part->first < whole->first ? part->first : whole->first;
    whole->last = part->last > whole->last ? part->last : whole->last;
    whole->first_bytes = first;
    whole->last_bytes = last;
    whole->bytes += part->bytes;
    whole->baskets += part->baskets;
}

size_t cup_visits_merge(struct cup_branch_visit *visits, size_t count)
{
    size_t kept = 0;
    qsort(visits, count, sizeof *visits, by_task);
    for (size_t i = 0; i < count; i++) {
        struct cup_branch_visit *last = kept ? &visits[kept - 1] : NULL;
        if (visits[i].baskets == 0)
            continue;
        if (last && last->task && by_task(last, &visits[i]) == 0)
            extend_visit(last, &visits[i]);
        else
            visits[kept++] = visits[i];
    }
    return kept;
}

/* ---- what they have in common --------------------------------------------------------------- */

static void add_baskets(struct cup_rereads *rereads, uint64_t baskets, uint64_t bytes)
{
    rereads->baskets += baskets;
    rereads->bytes += bytes;
}

static uint64_t mean_bytes(const struct cup_branch_visit *visit)
{
    return visit->baskets ? visit->bytes / visit->baskets : 0;
}

/* Counts the first basket of the visit: it is the last one of the visits before. */
static void add_border(struct cup_rereads *rereads, const struct cup_branch_visit *visit)
{
    uint64_t bytes = visit->baskets == 1  ? visit->bytes
                     : visit->first_bytes ? visit->first_bytes
                                          : mean_bytes(visit);
    add_baskets(rereads, 1, bytes);
    rereads->border++;
    rereads->border_bytes += bytes;
    if (visit->baskets > 1 && !visit->first_bytes) {
        rereads->estimated++;
        rereads->estimated_bytes += bytes;
    }
}

/* How many of the visit's baskets earlier visits have read. COVERED, the last basket of these, lies
 * between the visit's first and last one, so it is not all of them. */
static uint64_t count_common_baskets(const struct cup_branch_visit *visit, uint64_t covered)
{
    uint64_t most = visit->baskets > 1 ? visit->baskets - 1 : 1;
    if (visit->by_number && covered - visit->first < most)
        return covered - visit->first + 1;
    double share = (double)(covered - visit->first) / (double)(visit->last - visit->first);
    return 1 + (uint64_t)(share * (double)(most - 1) + 0.5);
}

/* Counts the common baskets of two ranges that overlap in part. Their bytes are exact in two cases:
 * only the first basket is common; or all but the last one are, in a range without gaps. */
static void add_part(struct cup_rereads *rereads, const struct cup_branch_visit *visit,
                     uint64_t covered)
{
    uint64_t baskets = count_common_baskets(visit, covered), bytes = baskets * mean_bytes(visit);
    bool unbroken = visit->by_number && visit->last - visit->first + 1 == visit->baskets;
    if (visit->baskets <= 2 && visit->first_bytes) {
        add_baskets(rereads, 1, visit->first_bytes);
        return;
    }
    if (unbroken && baskets + 1 == visit->baskets && visit->last_bytes) {
        add_baskets(rereads, baskets, visit->bytes - visit->last_bytes);
        return;
    }
    add_baskets(rereads, baskets, bytes);
    rereads->estimated += baskets;
    rereads->estimated_bytes += bytes;
}

/* Counts repeated reads. The visits are ordered by first basket; `covered` is the last basket that
 * any of them has read. Visits with a wasted result count only if WASTED is set. */
static struct cup_rereads sweep_visits(const struct cup_branch_visit *visits, size_t count,
                                       bool wasted)
{
    struct cup_rereads rereads = {0};
    uint64_t covered = 0;
    bool any = false, by_number = false;
    for (size_t i = 0; i < count; i++) {
        const struct cup_branch_visit *visit = &visits[i];
        if (visit->baskets == 0 || (visit->wasted && !wasted))
            continue;
        any &= visit->by_number == by_number;
        by_number = visit->by_number;
        if (any && visit->first == covered)
            add_border(&rereads, visit);
        else if (any && visit->last <= covered)
            add_baskets(&rereads, visit->baskets, visit->bytes);
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
        qsort(visits, count, sizeof *visits, by_first_basket);
    struct cup_rereads all = sweep_visits(visits, count, true);
    if (any_wasted(visits, count)) {
        const struct cup_rereads used = sweep_visits(visits, count, false);
        all.wasted = all.baskets > used.baskets ? all.baskets - used.baskets : 0;
        all.wasted_bytes = all.bytes > used.bytes ? all.bytes - used.bytes : 0;
    }
    return all;
}

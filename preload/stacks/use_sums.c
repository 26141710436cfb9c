#include "preload/stacks/use_sums.h"

#include "preload/stacks/stack_events.h"

#include <string.h>

/* ---- sorting ------------------------------------------------------------------------------ */

static bool is_before(const struct cup_use_sum *a, const struct cup_use_sum *b)
{
    return a->node != b->node ? a->node < b->node : a->use < b->use;
}

/* Shell sort, in place, with gaps that shrink as Gonnet and Baeza-Yates propose: qsort() of libc
 * may allocate. */
void cup_use_sums_sort(struct cup_use_sum *sums, size_t count)
{
    for (size_t gap = count; gap > 1;) {
        gap = gap < 5 ? 1 : (5 * gap - 1) / 11;
        for (size_t i = gap; i < count; i++) {
            struct cup_use_sum sum = sums[i];
            size_t at = i;
            for (; at >= gap && is_before(&sum, &sums[at - gap]); at -= gap)
                sums[at] = sums[at - gap];
            sums[at] = sum;
        }
    }
}

size_t cup_use_sums_unite(struct cup_use_sum *sums, size_t count)
{
    size_t left = 0;
    for (size_t i = 0; i < count; i++) {
        bool same = left && !is_before(&sums[left - 1], &sums[i]);
        for (int measure = 0; same && measure < CUP_USE_MEASURES; measure++)
            sums[left - 1].is[measure] += sums[i].is[measure];
        if (!same)
            sums[left++] = sums[i];
    }
    return left;
}

/* ---- joining ------------------------------------------------------------------------------ */

/* The rows of one kind. */
struct kind {
    uint16_t use;
    size_t rows;
    double all[CUP_USE_MEASURES];
    double share;   /* a group closes when the sizes of its rows add up to this */
    uint64_t given; /* events that count at another stack */
};

/* A row's largest share of what its kind has of a measure. */
static double size_of(const struct kind *kind, const struct cup_use_sum *sum)
{
    double size = 0;
    for (int i = 0; i < CUP_USE_MEASURES; i++) {
        double share = sum->is[i] ? (double)sum->is[i] / kind->all[i] : 0;
        size = share > size ? share : size;
    }
    return size;
}

static bool is_small(const struct kind *kind, const struct cup_use_sum *sum)
{
    return sum->use == kind->use && size_of(kind, sum) < kind->share;
}

/* Gives what the taken rows from SUMS to END have of a measure to one of them. PART: a random
 * number from 0 to below 1. Returns what the others had. */
static uint64_t give_to_one(struct cup_use_sum *sums, const struct cup_use_sum *end, int measure,
                            double part)
{
    struct cup_use_sum *chosen = NULL;
    uint64_t all = 0, passed = 0, kept = 0;
    for (struct cup_use_sum *sum = sums; sum < end; sum++)
        all += sum->taken ? sum->is[measure] : 0;
    for (struct cup_use_sum *sum = sums; sum < end; sum++) {
        uint64_t has = sum->taken ? sum->is[measure] : 0;
        if (has && (!chosen || (double)passed <= part * (double)all)) {
            chosen = sum;
            kept = has;
        }
        passed += has;
        sum->is[measure] -= has;
    }
    if (chosen)
        chosen->is[measure] = all;
    return all - kept;
}

/* The rows from SUMS to END that are small give all that they have to some of them. While this
 * goes on, only these are `taken`. */
static void join_group(struct kind *kind, struct cup_use_sum *sums, struct cup_use_sum *end)
{
    double part = cup_event_random() / 4294967296.0;
    for (struct cup_use_sum *sum = sums; sum < end; sum++)
        sum->taken = is_small(kind, sum);
    kind->given += give_to_one(sums, end, CUP_USE_COUNT, part);
    give_to_one(sums, end, CUP_USE_BYTES, part);
    give_to_one(sums, end, CUP_USE_NS, part);
    for (struct cup_use_sum *sum = sums; sum < end; sum++)
        sum->taken = 1;
}

static void join_kind(struct kind *kind, struct cup_use_sum *sums, size_t count)
{
    struct cup_use_sum *first = sums;
    double size = 0;
    for (struct cup_use_sum *sum = sums; sum < sums + count; sum++) {
        size += is_small(kind, sum) ? size_of(kind, sum) : 0;
        if (size < kind->share)
            continue;
        join_group(kind, first, sum + 1);
        first = sum + 1;
        size = 0;
    }
    join_group(kind, first, sums + count);
}

static void add_up_kind(struct kind *kind, const struct cup_use_sum *sums, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        kind->rows += sums[i].use == kind->use;
        for (int measure = 0; measure < CUP_USE_MEASURES; measure++)
            kind->all[measure] += sums[i].use == kind->use ? (double)sums[i].is[measure] : 0;
    }
}

static size_t remove_empty(struct cup_use_sum *sums, size_t count)
{
    static const uint64_t nothing[CUP_USE_MEASURES];
    size_t left = 0;
    for (size_t i = 0; i < count; i++)
        if (memcmp(sums[i].is, nothing, sizeof nothing) != 0)
            sums[left++] = sums[i];
    return left;
}

static bool is_event(uint16_t use)
{
    return use != CUP_U_ALLOC && use != CUP_U_CPU && use != CUP_U_OFF_CPU;
}

size_t cup_use_sums_join(struct cup_use_sum *sums, size_t count, size_t wanted, uint64_t *given)
{
    size_t rows = 0;
    for (size_t i = 0; i < count; i++)
        rows += sums[i].use < CUP_USE_BRANCHES;
    if (rows <= wanted)
        return count;
    for (uint16_t use = 0; use < CUP_STACK_USE_COUNT; use++) {
        struct kind kind = {.use = use};
        add_up_kind(&kind, sums, count);
        kind.share = kind.rows ? (double)rows / (double)(wanted * kind.rows) : 0;
        if (kind.rows > 1)
            join_kind(&kind, sums, count);
        *given += is_event(use) ? kind.given : 0;
    }
    return remove_empty(sums, count);
}

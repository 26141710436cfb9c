#include "analysis/metrics/functions/call_slices.h"

#include <stdio.h>
#include <stdlib.h>

#include "analysis/base/array.h"

/* ---- choosing slices ---------------------------------------------------------------------- */

struct candidate {
    uint32_t of;
    uint64_t ns;
};

static int most_first(const void *left, const void *right)
{
    const struct candidate *a = left, *b = right;
    if (a->ns != b->ns)
        return a->ns > b->ns ? -1 : 1;
    return (a->of > b->of) - (a->of < b->of);
}

static void choose_slices(struct cup_call_slices *slices, enum cup_slice_kind kind,
                          struct candidate *candidates, size_t count)
{
    slices->candidates[kind] = count;
    if (count < 2)
        return;
    qsort(candidates, count, sizeof *candidates, most_first);
    for (size_t i = 0; i < count && i < CUP_SLICES_EACH; i++)
        slices->slices[slices->count++] =
            (struct cup_call_slice){.kind = kind, .of = candidates[i].of};
}

int cup_call_slices_choose(struct cup_call_slices *slices, const struct cup_totals *totals)
{
    size_t servers = totals->profile->server_count, count = 0;
    size_t most = servers > totals->dataset_count ? servers : totals->dataset_count;
    struct candidate *candidates = calloc(most + 1, sizeof *candidates);
    *slices = (struct cup_call_slices){0};
    if (!candidates)
        return -1;
    for (size_t i = 0; i < totals->dataset_count; i++)
        candidates[count++] =
            (struct candidate){totals->datasets[i].name, totals->datasets[i].wall_ns};
    choose_slices(slices, CUP_SLICE_DATASET, candidates, count);
    count = 0;
    for (size_t i = 0; i < servers; i++)
        if (totals->servers[i].tasks)
            candidates[count++] = (struct candidate){(uint32_t)i, totals->servers[i].wall_ns};
    choose_slices(slices, CUP_SLICE_WORKER, candidates, count);
    free(candidates);
    return 0;
}

struct cup_text cup_call_slice_name(const struct cup_profile *profile,
                                    const struct cup_call_slice *slice)
{
    if (slice->kind == CUP_SLICE_DATASET)
        return cup_profile_text(profile, slice->of);
    const struct cup_server *server = &profile->servers[slice->of];
    struct cup_text name = cup_profile_text(profile, server->name);
    return name.length ? name : cup_profile_text(profile, server->address);
}

char *cup_call_ask_text(char to[CUP_ASK_TEXT], const struct cup_call_ask *ask)
{
    const struct {
        const char *what, *name;
    } parts[] = {
        {"of prefix", ask->prefix}, {"of dataset", ask->dataset}, {"on worker", ask->worker}};
    int length = 0;
    to[0] = '\0';
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (parts[i].name)
            length += snprintf(to + length, CUP_ASK_TEXT - (size_t)length, "%s %s %.45s",
                               length ? "," : " Only tasks", parts[i].what, parts[i].name);
    if (length)
        snprintf(to + length, CUP_ASK_TEXT - (size_t)length, ".");
    return to;
}

/* ---- sums --------------------------------------------------------------------------------- */

static bool is_of(const struct cup_profile *profile, const struct cup_call_slice *slice,
                  const struct cup_task *task)
{
    const struct cup_item *item = cup_task_item(profile, task);
    return slice->kind == CUP_SLICE_DATASET
               ? item && cup_source_of(profile, item)->dataset == slice->of
               : cup_scope_of(profile, task)->server == slice->of + 1;
}

/* Index of the row of that node and slice, added if it is new; CUP_NOTHING without memory. Once the
 * table is full, new rows are counted at the root. */
static uint32_t row_of(struct cup_call_slices *slices, uint32_t node, uint32_t slice)
{
    uint32_t at = slices->row_count < CUP_CALL_ROWS_MOST ? node : 0;
    uint32_t known = cup_pair_map_get(&slices->row_at, node, slice);
    if (!known && at != node)
        known = cup_pair_map_get(&slices->row_at, at, slice);
    if (known)
        return known - 1;
    if (cup_array_grow(&slices->rows, &slices->row_room, slices->row_count, sizeof *slices->rows) !=
            0 ||
        cup_pair_map_set(&slices->row_at, at, slice, (uint32_t)slices->row_count + 1) != 0)
        return CUP_NOTHING;
    slices->rows[slices->row_count] = (struct cup_call_row){.node = at, .prefix = slice};
    return (uint32_t)slices->row_count++;
}

int cup_call_add_sliced(struct cup_call_tree *tree, uint32_t node, const struct cup_task *task,
                        const struct cup_weights *weights)
{
    for (uint32_t i = 0; i < tree->slices.count; i++) {
        if (!is_of(tree->profile, &tree->slices.slices[i], task))
            continue;
        uint32_t row = row_of(&tree->slices, node, i);
        if (row == CUP_NOTHING)
            return -1;
        tree->left_out += tree->slices.rows[row].node != node;
        cup_weights_add(&tree->slices.rows[row].weights, weights);
    }
    return 0;
}

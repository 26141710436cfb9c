#include "plot/shared/chunks.h"

#include <math.h>
#include <stdlib.h>

static int by_time(const void *a, const void *b)
{
    const struct cup_dataset *const *one = a, *const *two = b;
    if ((*one)->wall_ns != (*two)->wall_ns)
        return (*one)->wall_ns > (*two)->wall_ns ? -1 : 1;
    return (*one)->name < (*two)->name ? -1 : (*one)->name > (*two)->name;
}

/* Groups the datasets. Returns the group + 1 for each string that names a dataset; NULL without
 * memory. */
static uint16_t *make_groups(struct cup_chunk_points *points, struct cup_plot_input *input)
{
    const struct cup_totals *totals = input->totals;
    size_t count = totals->dataset_count;
    uint16_t *groups = cup_arena_take(input->arena, totals->profile->strings.count + 1, 2);
    const struct cup_dataset **sorted = cup_arena_take(input->arena, count + 1, sizeof *sorted);
    if (!groups || !sorted)
        return NULL;
    for (size_t i = 0; i < count; i++)
        sorted[i] = &totals->datasets[i];
    qsort(sorted, count, sizeof *sorted, by_time);
    bool all = count <= CUP_CHUNK_GROUPS;
    points->group_count = all ? count : CUP_CHUNK_GROUPS;
    for (size_t i = 0; i < count; i++) {
        size_t group = i < points->group_count ? i : points->group_count - 1;
        bool others = !all && group + 1 == CUP_CHUNK_GROUPS;
        points->groups[group] = others ? (struct cup_text){"other datasets", 14}
                                       : cup_profile_text(totals->profile, sorted[i]->name);
        groups[sorted[i]->name] = (uint16_t)(group + 1);
    }
    return groups;
}

static void add_chunk(struct cup_chunk_points *points, const struct cup_profile *profile,
                      uint32_t index, const uint16_t *groups)
{
    const struct cup_item *item = &profile->items[index];
    uint64_t wall_ns = cup_task_wall_ns(&profile->tasks[item->task]);
    uint64_t events = cup_item_events(item);
    uint16_t group = groups[cup_source_of(profile, item)->dataset];
    struct cup_chunk_point *point = &points->points[points->count++];
    point->events = events == CUP_UNKNOWN64 ? NAN : (double)events;
    point->wall_s = wall_ns == CUP_UNKNOWN64 ? NAN : (double)wall_ns / 1e9;
    point->item = index;
    point->group = group ? (uint16_t)(group - 1) : 0;
}

int cup_chunk_points_make(struct cup_chunk_points *points, struct cup_plot_input *input)
{
    const struct cup_totals *totals = input->totals;
    const struct cup_profile *profile = totals->profile;
    *points = (struct cup_chunk_points){0};
    if (totals->used_chunks == 0) {
        cup_plot_unavailable(input, "no chunk of the run succeeded");
        return -1;
    }
    points->points = cup_arena_take(input->arena, totals->used_chunks, sizeof *points->points);
    const uint16_t *groups = make_groups(points, input);
    if (!points->points || !groups)
        return -1;
    for (size_t i = 0; i < profile->item_count && points->count < totals->used_chunks; i++)
        if (totals->outcomes[i] == CUP_OUTCOME_USED)
            add_chunk(points, profile, (uint32_t)i, groups);
    return 0;
}

/* ---- histograms by dataset ------------------------------------------------------------------ */

double cup_grouped_height(const struct cup_grouped *grouped, size_t bin)
{
    double sum = 0;
    for (size_t i = 0; i < grouped->chunks.group_count; i++)
        sum += grouped->counts[i][bin];
    return sum;
}

int cup_grouped_make(struct cup_grouped *grouped, struct cup_arena *arena, enum cup_bins_kind kind,
                     const double *values, size_t count, size_t most)
{
    const struct cup_chunk_points *chunks = &grouped->chunks;
    if (cup_bins_make(&grouped->bins, arena, kind, values, count, most) != 0)
        return -1;
    for (size_t i = 0; i < chunks->group_count; i++) {
        grouped->counts[i] = cup_arena_take(arena, grouped->bins.count, sizeof(double));
        if (!grouped->counts[i])
            return -1;
    }
    for (size_t i = 0; i < chunks->count; i++) {
        size_t bin = cup_bin_of(&grouped->bins, values[i]);
        if (bin < grouped->bins.count)
            grouped->counts[chunks->points[i].group][bin]++;
    }
    return 0;
}

/* ---- drawing -------------------------------------------------------------------------------- */

void cup_chunk_groups_key(struct cup_figure *figure, const struct cup_chunk_points *points,
                          enum cup_key_mark mark, double opacity)
{
    for (size_t i = 0; i < points->group_count; i++) {
        const struct cup_text *name = &points->groups[i];
        cup_figure_add_key(figure, mark, cup_theme_paint(figure->theme, (unsigned)i), "%.*s",
                           name->length ? (int)name->length : 10,
                           name->length ? name->bytes : "no dataset");
        cup_figure_fade_key(figure, opacity);
    }
}

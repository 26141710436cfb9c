#include "plot/shared/grouped.h"

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

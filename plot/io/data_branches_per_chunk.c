#include <math.h>

#include "plot/io/branches_per_chunk.h"
#include "plot/shared/plot.h"

enum { BINS = 50 };

/* Leaves out chunks without recorded baskets: uproot had their arrays cached, or the reads were not
 * recorded. */
static double *count_branches(const struct cup_chunk_points *chunks, struct cup_plot_input *input,
                              size_t *known, double *mean)
{
    const struct cup_profile *profile = input->totals->profile;
    double *values = cup_arena_take(input->arena, chunks->count, sizeof *values), sum = 0;
    for (size_t i = 0; values && i < chunks->count; i++) {
        const struct cup_item *item = &profile->items[chunks->points[i].item];
        double branches = profile->baskets ? (double)profile->baskets[item->task].branches : 0;
        values[i] = branches > 0 ? branches : NAN;
        *known += branches > 0;
        sum += branches;
    }
    *mean = *known ? sum / (double)*known : NAN;
    return values;
}

const void *cup_data_branches_per_chunk(struct cup_plot_input *input)
{
    struct cup_branches_per_chunk *plot = cup_arena_take(input->arena, 1, sizeof *plot);
    size_t known = 0;
    if (!plot || cup_chunk_points_make(&plot->branches.chunks, input) != 0)
        return NULL;
    double *values = count_branches(&plot->branches.chunks, input, &known, &plot->mean);
    if (!values)
        return NULL;
    if (known == 0)
        return cup_plot_unavailable(input, "no chunk has recorded reads of a TTree's branches");
    if (cup_grouped_make(&plot->branches, input->arena, CUP_BINS_WHOLE, values,
                         plot->branches.chunks.count, BINS) != 0)
        return NULL;
    char chunks[64];
    cup_plot_set_caption(
        input,
        "%s whose result was used and that read branches. A branch counts once for "
        "a chunk that read any of its baskets (cupping).",
        cup_count_text(chunks, known, "chunk"));
    return plot;
}

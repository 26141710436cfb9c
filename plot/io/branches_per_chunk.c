#include <math.h>
#include <string.h>

#include "plot/figure/figure.h"
#include "plot/figure/marks.h"
#include "plot/io/io_plots.h"
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
    char chunks[64], bar[CUP_BAR_TEXT], all[CUP_BAR_TEXT];
    if (cup_bins_one_bar(bar, &plot->branches.bins, CUP_AXIS_COUNT))
        return cup_plot_unavailable(input, "%s read %s branch%s", cup_all_text(all, known, "chunk"),
                                    bar, strcmp(bar, "1") == 0 ? "" : "es");
    cup_plot_set_caption(
        input,
        "%s whose result was used and that read branches. A branch counts once for "
        "a chunk that read any of its baskets (cupping).",
        cup_count_text(chunks, known, "chunk"));
    return plot;
}

/* ---- drawing -------------------------------------------------------------------------------- */

void cup_chart_branches_per_chunk(struct cup_figure *figure, const void *data)
{
    const struct cup_branches_per_chunk *plot = data;
    const struct cup_bins *bins = &plot->branches.bins;
    double room = bins->count < 5 ? 2 : 0; /* one or two bins must not fill the whole width */
    figure->x = (struct cup_axis){.name = "branches read by a chunk",
                                  .unit = CUP_AXIS_COUNT,
                                  .exact = true,
                                  .low = fmax(0, bins->edges[0] - room),
                                  .high = bins->edges[bins->count] + room};
    figure->y = cup_axis_up_to("chunks", CUP_AXIS_COUNT, bins->most);
    cup_chunk_groups_key(figure, &plot->branches.chunks, CUP_KEY_BOX, 1);
    cup_figure_add_key(figure, CUP_KEY_DASHES, figure->theme->ink, "mean %.1f", plot->mean);
    cup_figure_open(figure);
    cup_bins_draw(figure, bins, plot->branches.counts, plot->branches.chunks.group_count);
    cup_mark_upright(figure, plot->mean, figure->theme->ink);
    cup_figure_close(figure);
}

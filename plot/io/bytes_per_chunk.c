#include <math.h>
#include <string.h>

#include "plot/figure/figure.h"
#include "plot/figure/marks.h"
#include "plot/io/io_plots.h"
#include "plot/shared/plot.h"
#include "plot/shared/time_bins.h"

enum { BINS = 50 };

struct values {
    double *compressed,
        *both; /* both: compressed bytes of all chunks, then the bytes delivered to them */
    size_t known;
};

/* Chunks without recorded baskets are left out of both. */
static int gather_bytes(struct values *values, const struct cup_chunk_points *chunks,
                        struct cup_plot_input *input)
{
    const struct cup_profile *profile = input->totals->profile;
    size_t count = chunks->count;
    values->both = cup_arena_take(input->arena, 2 * count, sizeof(double));
    if (!values->both)
        return -1;
    for (size_t i = 0; i < count; i++) {
        const struct cup_item *item = &profile->items[chunks->points[i].item];
        uint64_t bytes = profile->baskets ? profile->baskets[item->task].compressed : 0;
        values->both[i] = bytes ? (double)bytes : NAN;
        values->both[count + i] = bytes ? (double)cup_delivered(profile, item->task) : NAN;
        values->known += bytes > 0;
    }
    return 0;
}

static double largest_count(const double *counts, size_t count)
{
    double most = 0;
    for (size_t i = 0; i < count; i++)
        most = fmax(most, counts[i]);
    return most;
}

/* Both histograms have the same bins, so that they can be drawn on top of each other. */
static int make_histograms(struct cup_bytes_per_chunk *plot, const struct values *values,
                           struct cup_arena *arena)
{
    struct cup_bins *bins = &plot->compressed.bins;
    size_t count = plot->compressed.chunks.count;
    if (cup_grouped_make(&plot->compressed, arena, CUP_BINS_EVEN, values->both, 2 * count, BINS) !=
        0)
        return -1;
    plot->delivered = cup_arena_take(arena, bins->count, sizeof(double));
    if (!plot->delivered)
        return -1;
    cup_bins_count(bins, values->both + count, count, plot->delivered);
    plot->most = largest_count(plot->delivered, bins->count);
    for (size_t i = 0; i < bins->count; i++)
        plot->most = fmax(plot->most, cup_grouped_height(&plot->compressed, i));
    return 0;
}

const void *cup_data_bytes_per_chunk(struct cup_plot_input *input)
{
    struct cup_bytes_per_chunk *plot = cup_arena_take(input->arena, 1, sizeof *plot);
    struct values values = {0};
    if (!plot || cup_chunk_points_make(&plot->compressed.chunks, input) != 0 ||
        gather_bytes(&values, &plot->compressed.chunks, input) != 0)
        return NULL;
    if (values.known == 0)
        return cup_plot_unavailable(input, "no chunk has recorded reads of baskets");
    if (make_histograms(plot, &values, input->arena) != 0)
        return NULL;
    char chunks[64], bar[CUP_BAR_TEXT], all[CUP_BAR_TEXT];
    if (cup_bins_one_bar(bar, &plot->compressed.bins, CUP_AXIS_BYTES))
        return cup_plot_unavailable(input, "%s read and received %s",
                                    cup_all_text(all, values.known, "chunk"), bar);
    cup_plot_set_caption(input,
                         "%s whose result was used and that read baskets. Columns: compressed "
                         "bytes of the requested baskets. Outline: bytes delivered by files and "
                         "sockets, read-ahead included (cupping).",
                         cup_count_text(chunks, values.known, "chunk"));
    return plot;
}

/* ---- drawing -------------------------------------------------------------------------------- */

/* Draws an outline, so that the columns behind it stay visible. */
static void draw_outline(struct cup_figure *figure, const struct cup_bytes_per_chunk *plot)
{
    const struct cup_bins *bins = &plot->compressed.bins;
    const struct cup_stroke stroke = {.colour = figure->theme->ink, .steps = true};
    double last = 0;
    for (size_t i = 0; i < bins->count; i++) {
        const double x[] = {bins->edges[i], bins->edges[i], bins->edges[i + 1]};
        const double y[] = {last, plot->delivered[i], plot->delivered[i]};
        if (last > 0 || plot->delivered[i] > 0)
            cup_mark_line(figure, x, y, 3, &stroke);
        last = plot->delivered[i];
    }
    const double x[] = {bins->edges[bins->count], bins->edges[bins->count]}, y[] = {last, 0};
    cup_mark_line(figure, x, y, 2, &stroke);
}

void cup_chart_bytes_per_chunk(struct cup_figure *figure, const void *data)
{
    const struct cup_bytes_per_chunk *plot = data;
    const struct cup_bins *bins = &plot->compressed.bins;
    double half = (bins->edges[1] - bins->edges[0]) / 2; /* keeps the columns off the axis */
    double low = bins->edges[0] - half, high = bins->edges[bins->count] + half;
    figure->x = (struct cup_axis){.name = "bytes read by a chunk",
                                  .unit = CUP_AXIS_BYTES,
                                  .low = low < high / 2 ? 0 : low,
                                  .high = high};
    figure->y = cup_axis_up_to("chunks", CUP_AXIS_COUNT, plot->most);
    cup_chunk_groups_key(figure, &plot->compressed.chunks, CUP_KEY_BOX, 1);
    cup_figure_add_key(figure, CUP_KEY_LINE, figure->theme->ink, "delivered");
    cup_figure_open(figure);
    cup_bins_draw(figure, bins, plot->compressed.counts, plot->compressed.chunks.group_count);
    draw_outline(figure, plot);
    cup_figure_close(figure);
}

#include <math.h>
#include <stdio.h>

#include "plot/figure/figure.h"
#include "plot/figure/marks.h"
#include "plot/shared/density.h"
#include "plot/shared/plot.h"
#include "plot/tasks/task_plots.h"

/* The limit is drawn only up to this multiple of the highest peak. A higher one would squeeze the
 * dots to the bottom, so then only the legend gives its value. */
#define NEAR 3.0

/* Looks up the peak heap of each chunk. Returns how many are known. */
static size_t gather_peaks(struct cup_peak_memory *plot, const struct cup_profile *profile,
                           struct cup_range *events, struct cup_range *bytes)
{
    size_t known = 0;
    for (size_t i = 0; i < plot->chunks.count; i++) {
        const struct cup_chunk_point *point = &plot->chunks.points[i];
        uint64_t peak = cup_item_peak_bytes(&profile->items[point->item]);
        plot->bytes[i] = peak == CUP_UNKNOWN64 || isnan(point->events) ? NAN : (double)peak;
        if (isnan(plot->bytes[i]))
            continue;
        cup_range_add(events, point->events);
        cup_range_add(bytes, plot->bytes[i]);
        known++;
    }
    return known;
}

static void copy_line(struct cup_peak_memory *plot, const struct cup_line_fit *fit)
{
    plot->fitted = !fit->missing && isfinite(fit->robust.slope);
    plot->mean_events = fit->robust.mean_x;
    plot->bytes_at_mean = fit->robust.at_mean;
    plot->slope = fit->robust.slope;
}

/* The memory that each task thread of a worker may use; NAN: not known. */
static double memory_per_thread(const struct cup_memory_need *need)
{
    double base = isnan(need->base_bytes) ? 0 : need->base_bytes;
    return need->threads ? (need->limit_bytes - base) / need->threads : NAN;
}

static void write_caption(struct cup_plot_input *input, const struct cup_peak_memory *plot,
                          size_t known, double room)
{
    char chunks[64], bytes[24], fitted[96] = "", limit[160] = " The memory limit is not known.";
    if (plot->fitted)
        snprintf(fitted, sizeof fitted, " Robust fit (Huber): %s per 1,000 events.",
                 cup_tick_text(bytes, 1000 * plot->slope, CUP_AXIS_BYTES));
    if (room > 0)
        snprintf(limit, sizeof limit,
                 " Limit for one chunk: %s, the memory limit minus what a worker holds without "
                 "tasks, divided by its threads.",
                 cup_tick_text(bytes, room, CUP_AXIS_BYTES));
    cup_plot_set_caption(
        input,
        "Upper bound of the memory that a chunk's threads held at once (the sum of their "
        "peaks): %s%s (cupping).%s%s",
        cup_count_text(chunks, known, "chunk"), plot->density.cells ? ", as a density" : "", fitted,
        limit);
}

const void *cup_data_peak_memory_events(struct cup_plot_input *input)
{
    const struct cup_chunk_fits *fits = input->totals->fits;
    struct cup_peak_memory *plot = cup_arena_take(input->arena, 1, sizeof *plot);
    if (!plot || cup_chunk_points_make(&plot->chunks, input) != 0)
        return NULL;
    plot->bytes = cup_arena_take(input->arena, plot->chunks.count, sizeof *plot->bytes);
    if (!plot->bytes)
        return NULL;
    struct cup_range events = cup_range_none(), peaks = cup_range_none();
    size_t known = gather_peaks(plot, input->totals->profile, &events, &peaks);
    if (known == 0 || events.high <= 0)
        return cup_plot_unavailable(input, "no chunk has both known events and a known peak heap");
    double room = memory_per_thread(&fits->memory);
    char bytes[24];
    plot->limit = room > 0 && room < NEAR * peaks.high ? room : 0;
    if (room > 0 && !(plot->limit > 0))
        snprintf(plot->far_above, sizeof plot->far_above, "limit far above: %s",
                 cup_tick_text(bytes, room, CUP_AXIS_BYTES));
    if (plot->limit > 0)
        cup_range_add(&peaks, plot->limit);
    plot->across = cup_dots_range(events);
    plot->up = cup_dots_range(peaks);
    copy_line(plot, &fits->all.heap);
    if (known > CUP_DOTS_MOST && cup_density_of_chunks(&plot->density, input->arena, &plot->chunks,
                                                       plot->bytes, plot->across, plot->up) != 0)
        return NULL;
    write_caption(input, plot, known, room);
    return plot;
}

/* ---- drawing -------------------------------------------------------------------------------- */

/* No dataset has this colour. On a density, which is blue, the limit is red. */
static struct cup_colour limit_colour(const struct cup_figure *figure,
                                      const struct cup_peak_memory *plot)
{
    return figure->theme->paints[plot->density.cells ? CUP_PAINT_RED : CUP_PAINT_VIOLET];
}

static void draw_keys(struct cup_figure *figure, const struct cup_peak_memory *plot)
{
    cup_density_key(figure, &plot->density, &plot->chunks);
    if (plot->fitted)
        cup_figure_add_key(figure, CUP_KEY_DASHES, figure->theme->ink, "fit");
    if (plot->limit > 0)
        cup_figure_add_key(figure, CUP_KEY_DASHES, limit_colour(figure, plot),
                           "limit for one chunk");
    if (plot->far_above[0])
        cup_figure_add_key(figure, CUP_KEY_NONE, figure->theme->soft, "%s", plot->far_above);
}

void cup_chart_peak_memory_events(struct cup_figure *figure, const void *data)
{
    const struct cup_peak_memory *plot = data;
    cup_density_axes(figure, &plot->density, plot->across, plot->up);
    figure->y.name = "peak heap";
    figure->y.unit = CUP_AXIS_BYTES;
    draw_keys(figure, plot);
    cup_figure_open(figure);
    cup_density_draw(figure, &plot->density, &plot->chunks, plot->bytes);
    if (plot->fitted)
        cup_mark_slope(figure, plot->bytes_at_mean - plot->slope * plot->mean_events, plot->slope,
                       &(struct cup_stroke){.colour = figure->theme->ink, .dashed = true});
    if (plot->limit > 0)
        cup_mark_level(figure, plot->limit, limit_colour(figure, plot));
    cup_density_numbers(figure, &plot->density, &plot->chunks, plot->bytes);
    cup_figure_close(figure);
}

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "analysis/metrics/chunks/chunk_fits.h"
#include "plot/figure/figure.h"
#include "plot/figure/marks.h"
#include "plot/shared/density.h"
#include "plot/shared/plot.h"
#include "plot/tasks/task_plots.h"

/* A chunk stands out if it is this many spreads above the line, as in the report. */
#define OUTLIER 5.0

static bool is_known(const struct cup_chunk_point *point)
{
    return !isnan(point->events) && !isnan(point->wall_s);
}

/* Copies the fit of the report. A doubtful fit is not drawn, but it is used to find the chunks that
 * stand out. */
static void copy_fit(struct cup_runtime_events *plot, const struct cup_line_fit *fit)
{
    plot->doubt = cup_time_doubt(fit);
    plot->fitted = !plot->doubt;
    if (fit->missing)
        return;
    plot->slope_s = fit->robust.slope;
    plot->slope_error_s = fit->robust.slope_error;
    plot->offset_s = cup_line_at(&fit->robust, 0);
    plot->offset_error_s = cup_line_error_at(&fit->robust, 0);
}

/* If all chunks have about the same number of events, the report has their median instead of a fit.
 */
static void copy_median(struct cup_runtime_events *plot, const struct cup_line_fit *fit)
{
    plot->with_median = !plot->fitted && fit->count >= CUP_FIT_LEAST && isnan(fit->robust.slope) &&
                        isfinite(fit->robust.at_mean);
    if (plot->with_median)
        plot->offset_s = fit->robust.at_mean;
}

static double above_line(const struct cup_runtime_events *plot, const struct cup_chunk_point *point)
{
    return point->wall_s - plot->offset_s - plot->slope_s * point->events;
}

/* Names an outlier by its file and events: "TTbar_3.root 5k to 10k". */
static void name_outlier(struct cup_outlier *outlier, const struct cup_profile *profile,
                         const struct cup_chunk_point *point)
{
    const struct cup_item *item = &profile->items[point->item];
    struct cup_text path = cup_profile_text(profile, item->file);
    const char *slash = path.length ? memrchr(path.bytes, '/', path.length) : NULL;
    size_t skip = slash ? (size_t)(slash + 1 - path.bytes) : 0, length = path.length - skip;
    char from[24], to[24];
    *outlier = (struct cup_outlier){.events = point->events, .wall_s = point->wall_s};
    if (length > 50)
        length = 50;
    int end = snprintf(outlier->name, sizeof outlier->name, "%.*s", (int)length,
                       length ? path.bytes + skip : "");
    if (item->entry_start >= 0 && item->entry_stop >= 0)
        snprintf(outlier->name + end, sizeof outlier->name - (size_t)end, " %s to %s",
                 cup_tick_text(from, (double)item->entry_start, CUP_AXIS_COUNT),
                 cup_tick_text(to, (double)item->entry_stop, CUP_AXIS_COUNT));
}

/* Finds the chunks that are furthest above the line. */
static void find_outliers(struct cup_runtime_events *plot, const struct cup_profile *profile,
                          double spread_s)
{
    const struct cup_chunk_points *chunks = &plot->chunks;
    double below = INFINITY;
    while (plot->outlier_count < CUP_NAMED) {
        const struct cup_chunk_point *furthest = NULL;
        for (size_t i = 0; i < chunks->count; i++) {
            double off = above_line(plot, &chunks->points[i]);
            if (off > OUTLIER * spread_s && off < below &&
                (!furthest || off > above_line(plot, furthest)))
                furthest = &chunks->points[i];
        }
        if (!furthest)
            return;
        below = above_line(plot, furthest);
        name_outlier(&plot->outliers[plot->outlier_count++], profile, furthest);
    }
}

static size_t find_ranges(struct cup_runtime_events *plot)
{
    struct cup_range events = cup_range_none(), wall_s = cup_range_none();
    size_t known = 0;
    for (size_t i = 0; i < plot->chunks.count; i++) {
        const struct cup_chunk_point *point = &plot->chunks.points[i];
        if (!is_known(point))
            continue;
        cup_range_add(&events, point->events);
        cup_range_add(&wall_s, point->wall_s);
        known++;
    }
    plot->most_events = events.high;
    plot->most_s = wall_s.high;
    plot->across = cup_dots_range(events);
    plot->up = cup_dots_range(wall_s);
    return known;
}

static void write_caption(struct cup_plot_input *input, const struct cup_runtime_events *plot,
                          size_t known)
{
    char chunks[64], fitted[200], median[CUP_DURATION_TEXT], offset[CUP_DURATION_TEXT];
    char offset_error[CUP_DURATION_TEXT], slope[CUP_DURATION_TEXT], slope_error[CUP_DURATION_TEXT];
    if (plot->fitted)
        snprintf(fitted, sizeof fitted, "Fit: %s \u00b1 %s + (%s \u00b1 %s) per event.",
                 cup_duration_text(offset, plot->offset_s),
                 cup_duration_text(offset_error, plot->offset_error_s),
                 cup_duration_text(slope, plot->slope_s),
                 cup_duration_text(slope_error, plot->slope_error_s));
    else if (plot->with_median)
        snprintf(fitted, sizeof fitted, "Median %s; no fit: %s.",
                 cup_duration_text(median, plot->offset_s), plot->doubt);
    else
        snprintf(fitted, sizeof fitted, "No fit: %s.", plot->doubt);
    cup_plot_set_caption(
        input, "%s whose result was used%s (cupping). %s%s", cup_count_text(chunks, known, "chunk"),
        plot->density.cells ? ", as a density" : "", fitted,
        plot->outlier_count ? " Labels: file and events of the slowest chunks." : "");
}

const void *cup_data_runtime_events(struct cup_plot_input *input)
{
    struct cup_runtime_events *plot = cup_arena_take(input->arena, 1, sizeof *plot);
    if (!plot || cup_chunk_points_make(&plot->chunks, input) != 0)
        return NULL;
    size_t known = find_ranges(plot);
    if (known == 0 || !(plot->most_events > 0) || !(plot->most_s > 0))
        return cup_plot_unavailable(input, "no chunk has both known events and a known time");
    const struct cup_line_fit *fit = &input->totals->fits->all.time;
    copy_fit(plot, fit);
    copy_median(plot, fit);
    if ((!fit->missing || plot->with_median) && fit->robust.spread > 0)
        find_outliers(plot, input->totals->profile, fit->robust.spread);
    if (known > CUP_DOTS_MOST && cup_density_of_chunks(&plot->density, input->arena, &plot->chunks,
                                                       NULL, plot->across, plot->up) != 0)
        return NULL;
    write_caption(input, plot, known);
    return plot;
}

/* ---- drawing -------------------------------------------------------------------------------- */

/* Lines of equal event rate through the origin, at 1, 2 or 5 times a power of ten, around the rate
 * of most chunks. */
enum { RATES = 12 };

static double nth_rate(const struct cup_runtime_events *plot, int n)
{
    static const double digits[] = {1, 2, 5};
    double rate = plot->most_events / plot->most_s;
    return pow(10, floor(log10(rate)) - 1 + floor(n / 3.0)) * digits[n % 3];
}

/* True if the line crosses the ranges of the data. */
static bool is_rate_drawn(const struct cup_runtime_events *plot, double hertz)
{
    double rate = plot->most_events / plot->most_s;
    return hertz >= rate / 3 && hertz <= rate * 6 && plot->across.low / hertz < plot->up.high &&
           plot->across.high / hertz > plot->up.low;
}

static void draw_rate(struct cup_figure *figure, double hertz)
{
    char text[24];
    double events = cup_mark_slope(
        figure, 0, 1 / hertz, &(struct cup_stroke){.colour = figure->theme->soft, .thin = true});
    double wall_s = events / hertz;
    /* At the corner there is no room above the line's end: write before it. */
    if (events > 0.9 * figure->x.scale.high && wall_s > 0.9 * figure->y.scale.high) {
        events -= 0.07 * (events - figure->x.scale.low);
        wall_s = events / hertz;
    }
    cup_mark_text(figure, events, wall_s, cup_tick_text(text, hertz, CUP_AXIS_HERTZ));
}

static void draw_rates(struct cup_figure *figure, const struct cup_runtime_events *plot)
{
    for (int i = 0; i < RATES; i++)
        if (is_rate_drawn(plot, nth_rate(plot, i)))
            draw_rate(figure, nth_rate(plot, i));
}

static void draw_keys(struct cup_figure *figure, const struct cup_runtime_events *plot)
{
    bool rates = false;
    for (int i = 0; i < RATES; i++)
        rates |= is_rate_drawn(plot, nth_rate(plot, i));
    cup_density_key(figure, &plot->density, &plot->chunks);
    if (rates)
        cup_figure_add_key(figure, CUP_KEY_THIN, figure->theme->soft, "equal event rate");
    if (plot->fitted || plot->with_median)
        cup_figure_add_key(figure, CUP_KEY_DASHES, figure->theme->ink, "%s",
                           plot->fitted ? "fit" : "median");
}

void cup_chart_runtime_events(struct cup_figure *figure, const void *data)
{
    const struct cup_runtime_events *plot = data;
    cup_density_axes(figure, &plot->density, plot->across, plot->up);
    figure->y.name = "wall time";
    figure->y.unit = CUP_AXIS_SECONDS;
    draw_keys(figure, plot);
    cup_figure_open(figure);
    cup_density_draw(figure, &plot->density, &plot->chunks, NULL);
    if (plot->fitted || plot->with_median)
        cup_mark_slope(figure, plot->offset_s, plot->slope_s,
                       &(struct cup_stroke){.colour = figure->theme->ink, .dashed = true});
    cup_density_numbers(figure, &plot->density, &plot->chunks, NULL);
    draw_rates(figure, plot); /* over the dashes, which would cross out the rates */
    for (size_t i = 0; i < plot->outlier_count; i++)
        cup_mark_name(figure, plot->outliers[i].events, plot->outliers[i].wall_s,
                      plot->outliers[i].name);
    cup_figure_close(figure);
}

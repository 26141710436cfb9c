#include <math.h>
#include <string.h>

#include "analysis/metrics/chunk_size.h"
#include "plot/charts.h"
#include "plot/runtime_events.h"

/* Of the spread around the fit: what is further above it stands out. */
#define OUTLIER 4.0

static bool is_known(const struct cup_chunk_point *point)
{
    return !isnan(point->events) && !isnan(point->wall_s);
}

/* The line of the report, if it is one to conclude from. */
static void take_fit(struct cup_runtime_events *plot, const struct cup_line_fit *fit)
{
    plot->doubt = cup_time_doubt(fit);
    plot->fitted = !plot->doubt;
    if (!plot->fitted)
        return;
    plot->slope_s = fit->robust.slope;
    plot->slope_error_s = fit->robust.slope_error;
    plot->offset_s = cup_line_at(&fit->robust, 0);
    plot->offset_error_s = cup_line_error_at(&fit->robust, 0);
}

static double above_fit(const struct cup_runtime_events *plot, const struct cup_chunk_point *point)
{
    return point->wall_s - plot->offset_s - plot->slope_s * point->events;
}

/* The end of its path. */
static void name_outlier(struct cup_outlier *outlier, const struct cup_profile *profile,
                         const struct cup_chunk_point *point)
{
    struct cup_text path = cup_profile_text(profile, profile->items[point->item].file);
    const char *slash = path.length ? memrchr(path.bytes, '/', path.length) : NULL;
    size_t skip = slash ? (size_t)(slash + 1 - path.bytes) : 0, length = path.length - skip;
    *outlier = (struct cup_outlier){.events = point->events, .wall_s = point->wall_s};
    if (length >= sizeof outlier->name)
        length = sizeof outlier->name - 1;
    if (length)
        memcpy(outlier->name, path.bytes + skip, length);
}

/* The few that are furthest above the fit. */
static void find_outliers(struct cup_runtime_events *plot, const struct cup_profile *profile)
{
    const struct cup_chunk_points *chunks = &plot->chunks;
    double sum = 0, n = 0, below = INFINITY;
    for (size_t i = 0; i < chunks->count; i++)
        if (is_known(&chunks->points[i])) {
            sum += pow(above_fit(plot, &chunks->points[i]), 2);
            n++;
        }
    double least = OUTLIER * sqrt(sum / n);
    while (plot->outlier_count < CUP_NAMED) {
        const struct cup_chunk_point *furthest = NULL;
        for (size_t i = 0; i < chunks->count; i++) {
            double off = above_fit(plot, &chunks->points[i]);
            if (off > least && off < below && (!furthest || off > above_fit(plot, furthest)))
                furthest = &chunks->points[i];
        }
        if (!furthest)
            return;
        below = above_fit(plot, furthest);
        name_outlier(&plot->outliers[plot->outlier_count++], profile, furthest);
    }
}

static int make_density(struct cup_runtime_events *plot, struct cup_arena *arena)
{
    if (cup_density_make(&plot->density, arena) != 0)
        return -1;
    for (size_t i = 0; i < plot->chunks.count; i++)
        cup_density_add(&plot->density, plot->chunks.points[i].events / plot->most_events,
                        plot->chunks.points[i].wall_s / plot->most_s);
    return 0;
}

static size_t find_ranges(struct cup_runtime_events *plot)
{
    size_t known = 0;
    for (size_t i = 0; i < plot->chunks.count; i++) {
        const struct cup_chunk_point *point = &plot->chunks.points[i];
        if (!is_known(point))
            continue;
        plot->most_events = fmax(plot->most_events, point->events);
        plot->most_s = fmax(plot->most_s, point->wall_s);
        known++;
    }
    return known;
}

static void say(struct cup_plot_input *input, const struct cup_runtime_events *plot, size_t known)
{
    char chunks[64], fitted[200];
    if (plot->fitted)
        snprintf(fitted, sizeof fitted,
                 "Fit: %.3g \u00b1 %.2g s + (%.3g \u00b1 %.2g) \u00b5s per event.", plot->offset_s,
                 plot->offset_error_s, plot->slope_s * 1e6, plot->slope_error_s * 1e6);
    else
        snprintf(fitted, sizeof fitted, "No fit: %s.", plot->doubt);
    cup_plot_say(input, "%s whose result was used%s (P). %s",
                 cup_plot_counted(chunks, known, "chunk"),
                 plot->density.cells ? ", as a density" : "", fitted);
}

const void *cup_data_runtime_events(struct cup_plot_input *input)
{
    struct cup_runtime_events *plot = cup_arena_take(input->arena, 1, sizeof *plot);
    if (!plot || cup_chunk_points_make(&plot->chunks, input) != 0)
        return NULL;
    size_t known = find_ranges(plot);
    if (known == 0 || plot->most_events <= 0 || plot->most_s <= 0)
        return cup_plot_none(input, "of no chunk both events and time are known");
    take_fit(plot, &input->totals->ledger.fits.all.time);
    if (plot->fitted)
        find_outliers(plot, input->totals->profile);
    if (known > CUP_DOTS_MOST && make_density(plot, input->arena) != 0)
        return NULL;
    say(input, plot, known);
    return plot;
}

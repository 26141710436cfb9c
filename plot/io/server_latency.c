#include <math.h>
#include <string.h>

#include "analysis/base/id_map.h"
#include "analysis/metrics/reads/server_uses.h"
#include "plot/figure/figure.h"
#include "plot/figure/marks.h"
#include "plot/io/io_plots.h"
#include "plot/shared/plot.h"

/* ---- lines ----------------------------------------------------------------------------------- */

/* The durations of requests to one server, or of all servers that have no line of their own. */
struct line {
    uint64_t buckets[CUP_BUCKETS], longest_ns;
};

struct lines {
    const struct cup_profile *profile;
    struct cup_server_uses uses;
    size_t servers;            /* with requests of known duration */
    struct cup_id_map of_name; /* strings: index of the line + 1 */
    struct line rows[CUP_LATENCY_SERVERS];
};

static bool has_durations(const struct cup_server_use *use)
{
    const struct cup_durations durations = cup_server_durations(use);
    return cup_durations_total(&durations) > 0;
}

static size_t count_servers(const struct cup_server_uses *uses)
{
    size_t count = 0;
    for (size_t i = 0; i < uses->count; i++)
        count += has_durations(&uses->rows[i]);
    return count;
}

static void name_line(struct cup_server_latency *plot, size_t i, struct cup_text name,
                      const struct line *line)
{
    const struct cup_durations durations = {line->buckets, line->longest_ns};
    char middle[CUP_DURATION_TEXT], high[CUP_DURATION_TEXT];
    snprintf(plot->names[i], sizeof *plot->names, "%.*s: %s, %s",
             (int)(name.length < 60 ? name.length : 60), name.bytes,
             cup_duration_text(middle, cup_durations_quantile_ns(&durations, 0.5) / 1e9),
             cup_duration_text(high, cup_durations_quantile_ns(&durations, 0.9) / 1e9));
}

/* Servers that tasks waited for longest have lines of their own. */
static void make_lines(struct cup_server_latency *plot, struct lines *lines)
{
    plot->others = lines->servers > CUP_LATENCY_SERVERS;
    plot->count = plot->others ? CUP_LATENCY_SERVERS : lines->servers;
    size_t own = plot->count - plot->others, next = 0;
    struct cup_text names[CUP_LATENCY_SERVERS] = {{0}};
    for (size_t i = 0; i < lines->uses.count; i++) {
        const struct cup_server_use *use = &lines->uses.rows[i];
        if (!has_durations(use))
            continue;
        size_t at = next < own ? next++ : own;
        struct line *line = &lines->rows[at];
        names[at] = use->name;
        for (int bucket = 0; bucket < CUP_BUCKETS; bucket++)
            line->buckets[bucket] += use->buckets[bucket];
        line->longest_ns = line->longest_ns > use->longest_ns ? line->longest_ns : use->longest_ns;
    }
    char others[64];
    snprintf(others, sizeof others, "%zu others", lines->servers - own);
    if (plot->others)
        names[own] = (struct cup_text){others, strlen(others)};
    for (size_t i = 0; i < plot->count; i++)
        name_line(plot, i, names[i], &lines->rows[i]);
}

/* Index of the line of a server, by the string that is its name. */
static size_t find_line(struct lines *lines, const struct cup_server_latency *plot, uint32_t string)
{
    uint32_t known = cup_id_map_get(&lines->of_name, string);
    if (known)
        return known - 1;
    struct cup_text name = cup_profile_text(lines->profile, string);
    size_t own = plot->count - plot->others, at = 0;
    for (size_t i = 0; i < lines->uses.count && at < own; i++) {
        const struct cup_server_use *use = &lines->uses.rows[i];
        if (has_durations(use) && cup_same_server(use->name, name))
            break;
        at += has_durations(use);
    }
    cup_id_map_set(&lines->of_name, string, (uint32_t)at + 1); /* without memory: found again */
    return at;
}

/* ---- points ---------------------------------------------------------------------------------- */

static int take_points(struct cup_server_latency *plot, size_t server, size_t room,
                       struct cup_arena *arena)
{
    plot->x[server] = cup_arena_take(arena, room, sizeof(double));
    plot->y[server] = cup_arena_take(arena, room, sizeof(double));
    return plot->x[server] && plot->y[server] ? 0 : -1;
}

static void add_point(struct cup_server_latency *plot, size_t server, double x, double y)
{
    plot->x[server][plot->points[server]] = x;
    plot->y[server][plot->points[server]++] = y;
}

/* LATENCY is a duration that the picture shows. */
static void widen_range(struct cup_server_latency *plot, double latency)
{
    plot->low = plot->low > 0 ? fmin(plot->low, latency) : latency;
    plot->high = fmax(plot->high, latency);
}

/* ---- over time ------------------------------------------------------------------------------- */

typedef uint64_t latency_bins[CUP_LATENCY_BINS][CUP_BUCKETS];

/* A record sums up the requests of up to two seconds, so bins are not shorter. */
enum { LEAST_BIN_S = 2 };

static double bin_seconds(const struct cup_server_latency *plot)
{
    return plot->seconds / fmax(1, fmin(CUP_LATENCY_BINS, floor(plot->seconds / LEAST_BIN_S)));
}

/* Adds the durations of each record to the bin that the middle of its time falls into. */
static int read_durations(latency_bins *bins, struct lines *lines,
                          const struct cup_server_latency *plot, int64_t start_ns)
{
    const struct cup_profile *profile = lines->profile;
    struct cup_record_reader reader;
    uint64_t values[CUP_Q_COUNT_OF];
    cup_record_reader_open(&reader, profile);
    for (size_t i = 0; i < profile->request_count; i++) {
        const struct cup_request_row *row = &profile->requests[i];
        double at = ((double)(row->start_ns - start_ns) + (double)(row->stop_ns - start_ns)) / 2e9;
        size_t bin = at >= 0 && at < plot->seconds ? (size_t)(at / bin_seconds(plot)) : SIZE_MAX;
        size_t line =
            row->error || !row->server ? plot->count : find_line(lines, plot, row->server);
        if (line >= plot->count || bin >= CUP_LATENCY_BINS)
            continue;
        const struct cup_record *record =
            cup_record_at(&reader, row->process, row->at, CUP_R_REQUESTS);
        if (record)
            cup_request_read(record, values, bins[line][bin], NULL);
    }
    return cup_record_reader_close(&reader);
}

static int add_times(struct cup_server_latency *plot, struct cup_plot_input *input,
                     struct lines *lines)
{
    double width = bin_seconds(plot);
    latency_bins *bins = cup_arena_take(input->arena, plot->count, sizeof *bins);
    if (!bins || read_durations(bins, lines, plot, input->totals->run.start_ns) != 0)
        return -1;
    for (size_t i = 0; i < plot->count; i++) {
        if (take_points(plot, i, CUP_LATENCY_BINS, input->arena) != 0)
            return -1;
        for (size_t bin = 0; bin < CUP_LATENCY_BINS; bin++) {
            const struct cup_durations durations = {bins[i][bin], lines->rows[i].longest_ns};
            double latency = cup_durations_quantile_ns(&durations, 0.9) / 1e9;
            if (isnan(latency))
                continue;
            add_point(plot, i, ((double)bin + 0.5) * width, latency);
            widen_range(plot, latency);
        }
    }
    return 0;
}

/* ---- quantiles ------------------------------------------------------------------------------- */

/* A point at the end of each bucket: how many percent of the requests took at most as long. */
static int add_curves(struct cup_server_latency *plot, struct cup_plot_input *input,
                      const struct lines *lines)
{
    for (size_t i = 0; i < plot->count; i++) {
        const struct cup_durations durations = {lines->rows[i].buckets, lines->rows[i].longest_ns};
        double total = (double)cup_durations_total(&durations), before = 0;
        if (take_points(plot, i, CUP_BUCKETS + 1, input->arena) != 0)
            return -1;
        for (unsigned bucket = 0; bucket < CUP_BUCKETS; bucket++) {
            if (!durations.buckets[bucket])
                continue;
            double to = (double)cup_bucket_to_ns(&durations, bucket) / 1e9;
            if (before == 0)
                add_point(plot, i, fmax((double)cup_bucket_from_ns(bucket) / 1e9, 1e-7), 0);
            before += (double)durations.buckets[bucket];
            add_point(plot, i, to, before / total * 100);
            widen_range(plot, plot->x[i][0]);
            widen_range(plot, to);
        }
    }
    return 0;
}

/* ---- both ------------------------------------------------------------------------------------ */

static void write_caption(struct cup_plot_input *input, const struct cup_server_latency *plot,
                          size_t servers)
{
    char counted[64], bins[128] = "";
    if (plot->over_time)
        snprintf(
            bins, sizeof bins,
            ", in bins of %.3g s: 90 %% of a bin's requests took at most as long as the line shows",
            bin_seconds(plot));
    cup_plot_set_caption(
        input,
        "Answered requests to %s%s (cupping). Legend: median and 90th percentile of the run. "
        "Durations are accurate to about 20 %%.%s",
        cup_count_text(counted, servers, "server"), bins,
        plot->others ? " Only the servers that tasks waited for longest have a line of their own."
                     : "");
}

static const void *make_plot(struct cup_plot_input *input, struct lines *lines)
{
    struct cup_server_latency *plot = cup_arena_take(input->arena, 1, sizeof *plot);
    if (!plot)
        return NULL;
    lines->servers = count_servers(&lines->uses);
    plot->over_time = strcmp(input->name, "server-latency") == 0;
    plot->seconds = (double)cup_stretch_ns(input->totals->run) / 1e9;
    if (!lines->servers)
        return cup_plot_unavailable(input, "%s", cup_no_requests_reason);
    if (plot->over_time && plot->seconds <= 0)
        return cup_plot_unavailable(input, "the run has no duration");
    make_lines(plot, lines);
    if ((plot->over_time ? add_times(plot, input, lines) : add_curves(plot, input, lines)) != 0)
        return NULL;
    if (plot->high <= 0)
        return cup_plot_unavailable(input, "all requests were before the run or after it");
    write_caption(input, plot, lines->servers);
    return plot;
}

const void *cup_data_server_latency(struct cup_plot_input *input)
{
    struct lines lines = {.profile = input->totals->profile};
    if (cup_server_uses_make(&lines.uses, lines.profile) != 0)
        return NULL;
    const void *plot = make_plot(input, &lines);
    cup_server_uses_free(&lines.uses);
    cup_id_map_clear(&lines.of_name);
    return plot;
}

/* ---- drawing --------------------------------------------------------------------------------- */

static struct cup_axis latency_axis(const struct cup_server_latency *plot)
{
    return (struct cup_axis){.name = "time of a request",
                             .unit = CUP_AXIS_SECONDS,
                             .log = true,
                             .low = plot->low,
                             .high = fmax(plot->high, plot->low * 2)};
}

static struct cup_colour colour_of(const struct cup_figure *figure,
                                   const struct cup_server_latency *plot, size_t line)
{
    return plot->others && line + 1 == plot->count ? figure->theme->paints[CUP_PAINT_GREY]
                                                   : cup_theme_paint(figure->theme, (unsigned)line);
}

static void draw_line(struct cup_figure *figure, const struct cup_server_latency *plot, size_t line)
{
    struct cup_colour colour = colour_of(figure, plot, line);
    cup_mark_line(figure, plot->x[line], plot->y[line], plot->points[line],
                  &(struct cup_stroke){.colour = colour, .dashed = line % 2});
    for (size_t at = 0; plot->over_time && at < plot->points[line]; at++)
        cup_mark_dot(figure, plot->x[line][at], plot->y[line][at], colour, 1);
}

void cup_chart_server_latency(struct cup_figure *figure, const void *data)
{
    const struct cup_server_latency *plot = data;
    figure->x = plot->over_time ? cup_run_axis(plot->seconds) : latency_axis(plot);
    figure->y = plot->over_time ? latency_axis(plot)
                                : cup_axis_exact("share of the requests", CUP_AXIS_PERCENT, 100);
    for (size_t i = 0; i < plot->count; i++)
        cup_figure_add_key(figure, i % 2 ? CUP_KEY_DASHES : CUP_KEY_LINE,
                           colour_of(figure, plot, i), "%s", plot->names[i]);
    cup_figure_open(figure);
    for (size_t i = 0; i < plot->count; i++)
        draw_line(figure, plot, i);
    cup_figure_close(figure);
}

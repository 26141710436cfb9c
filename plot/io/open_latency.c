#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "analysis/metrics/reads/open_ranks.h"
#include "plot/figure/figure.h"
#include "plot/figure/marks.h"
#include "plot/io/io_plots.h"
#include "plot/shared/plot.h"
#include "plot/shared/rows.h"

static const struct cup_bar_kind kinds[CUP_OPEN_KINDS] = {
    {"local files, also mounted ones", CUP_PAINT_GREEN},
    {"files, by XRootD's client", CUP_PAINT_BLUE},
    {"TCP connections", CUP_PAINT_ORANGE},
};

/* ---- one server ---------------------------------------------------------------------------- */

static double quantile(const struct cup_open_sum *sum, double share)
{
    return cup_open_quantile_ns(sum, share) / 1e9;
}

static void describe_row(struct cup_open_row *row, const struct cup_open_sum *sum)
{
    char counted[64], failed[64] = "", middle[CUP_DURATION_TEXT], high[CUP_DURATION_TEXT];
    if (sum->failed)
        snprintf(failed, sizeof failed, ", %llu failed", (unsigned long long)sum->failed);
    snprintf(row->brief, sizeof row->brief, "%s (%llu)", cup_duration_text(middle, row->middle),
             (unsigned long long)sum->opened);
    snprintf(row->text, sizeof row->text, "%s%s: median %s, 99 %% %s",
             cup_count_text(counted, sum->opened, "open"), failed, middle,
             cup_duration_text(high, row->high));
}

static void make_row(struct cup_open_row *row, const struct cup_profile *profile,
                     const struct cup_open_sum *sum)
{
    *row = (struct cup_open_row){.name = cup_profile_text(profile, sum->server),
                                 .kind = sum->kind - CUP_OPEN_LOCAL,
                                 .low = quantile(sum, 0.01),
                                 .lower = quantile(sum, 0.25),
                                 .middle = quantile(sum, 0.5),
                                 .upper = quantile(sum, 0.75),
                                 .high = quantile(sum, 0.99),
                                 .longest = (double)sum->longest_ns / 1e9};
    if (!row->name.length)
        row->name = (struct cup_text){"(not known)", strlen("(not known)")};
    describe_row(row, sum);
}

/* Makes a cumulative curve from the shortest to the longest open: a point at the end of each
 * bucket. */
static int make_curve(struct cup_open_row *row, const struct cup_open_sum *sum,
                      struct cup_arena *arena)
{
    row->times = cup_arena_take(arena, CUP_OPEN_BUCKETS + 1, sizeof *row->times);
    row->shares = cup_arena_take(arena, CUP_OPEN_BUCKETS + 1, sizeof *row->shares);
    if (!row->times || !row->shares)
        return -1;
    uint64_t before = 0;
    row->times[0] = (double)sum->shortest_ns / 1e9;
    row->points = 1;
    for (unsigned i = 0; i < CUP_OPEN_BUCKETS; i++) {
        if (!sum->buckets[i])
            continue;
        before += sum->buckets[i];
        double end = fmin(cup_open_bucket_from_ns(i + 1), (double)sum->longest_ns);
        row->times[row->points] = before == sum->opened ? row->longest : end / 1e9;
        row->shares[row->points++] = (double)before / (double)sum->opened * 100;
    }
    return 0;
}

/* ---- all of them --------------------------------------------------------------------------- */

struct left_out {
    uint64_t servers, opens; /* opens: successful ones at those servers */
    uint64_t failed_only;    /* servers where every open failed */
};

static int add_row(struct cup_open_latency *plot, struct cup_plot_input *input,
                   const struct cup_open_sum *sum, bool curve)
{
    struct cup_open_row *row = &plot->rows[plot->count];
    make_row(row, input->totals->profile, sum);
    plot->names[plot->count++] = row->name;
    plot->shortest = fmin(plot->shortest, (double)sum->shortest_ns / 1e9);
    plot->longest = fmax(plot->longest, row->longest);
    return curve ? make_curve(row, sum, input->arena) : 0;
}

static size_t count_opened(const struct cup_open_sum **sums, size_t count)
{
    size_t opened = 0;
    for (size_t i = 0; i < count; i++)
        opened += sums[i]->opened > 0;
    return opened;
}

static int add_rows(struct cup_open_latency *plot, struct cup_plot_input *input,
                    const struct cup_open_sum **sums, size_t count, struct left_out *left_out)
{
    bool curves = count_opened(sums, count) <= CUP_OPEN_CURVES;
    plot->shortest = INFINITY;
    for (size_t i = 0; i < count; i++) {
        if (!sums[i]->opened) {
            left_out->failed_only++;
        } else if (plot->count == CUP_OPEN_ROWS) {
            left_out->servers++;
            left_out->opens += sums[i]->opened;
        } else if (add_row(plot, input, sums[i], curves) != 0) {
            return -1;
        }
    }
    return 0;
}

static void write_caption(struct cup_plot_input *input, const struct cup_open_latency *plot,
                          const struct left_out *left_out)
{
    char rest[128] = "", failed[96] = "", servers[64], opens[64];
    if (left_out->servers)
        snprintf(rest, sizeof rest, " Left out: %s with less time in opens, %s.",
                 cup_count_text(servers, left_out->servers, "server"),
                 cup_count_text(opens, left_out->opens, "open"));
    if (left_out->failed_only)
        snprintf(failed, sizeof failed, " At %s every open failed.",
                 cup_count_text(servers, left_out->failed_only, "server"));
    cup_plot_set_caption(input,
                         "Local files: time of open(), by the first directory of the path, without "
                         "files that were never used. XRootD: time until the server answered. TCP "
                         "connections: without name lookup and TLS. %s (cupping).%s%s",
                         plot->count > CUP_OPEN_CURVES
                             ? "Box: middle half; line: 1 % to 99 %"
                             : "Legend: median, about (to 3 %), and number of opens",
                         rest, failed);
}

static const void *make_plot(struct cup_plot_input *input, const struct cup_open_sum **sums,
                             size_t count)
{
    struct cup_open_latency *plot = cup_arena_take(input->arena, 1, sizeof *plot);
    struct left_out left_out = {0};
    if (!plot || add_rows(plot, input, sums, count, &left_out) != 0)
        return NULL;
    if (!plot->count)
        return cup_plot_unavailable(input,
                                    "no file was opened and no connection was made during the run");
    if (count == 1 && sums[0]->opened == 1) {
        char time[CUP_DURATION_TEXT];
        return cup_plot_unavailable(input, "the only open took %s",
                                    cup_duration_text(time, plot->longest));
    }
    write_caption(input, plot, &left_out);
    return plot;
}

const void *cup_data_open_latency(struct cup_plot_input *input)
{
    const struct cup_profile *profile = input->totals->profile;
    size_t count;
    if (!cup_profile_measured(profile, CUP_FEATURE_OPENS))
        return cup_plot_unavailable(input,
                                    "an older library recorded this run; it did not time opens");
    const struct cup_open_sum **sums = cup_opens_by_time(profile, &count);
    const void *plot = sums ? make_plot(input, sums, count) : NULL;
    free(sums);
    return plot;
}

/* ---- drawing -------------------------------------------------------------------------------- */

/* ---- few servers: curves
 * --------------------------------------------------------------------------- */

static void draw_curves(struct cup_figure *figure, const struct cup_open_latency *plot)
{
    figure->y = cup_axis_exact("share of the opens", CUP_AXIS_PERCENT, 100);
    for (size_t i = 0; i < plot->count; i++)
        cup_figure_add_key(figure, i % 2 ? CUP_KEY_DASHES : CUP_KEY_LINE,
                           cup_theme_paint(figure->theme, (unsigned)i), "%.*s: %s",
                           (int)plot->names[i].length, plot->names[i].bytes, plot->rows[i].brief);
    cup_figure_open(figure);
    for (size_t i = 0; i < plot->count; i++) {
        const struct cup_open_row *row = &plot->rows[i];
        cup_mark_line(figure, row->times, row->shares, row->points,
                      &(struct cup_stroke){.colour = cup_theme_paint(figure->theme, (unsigned)i),
                                           .dashed = i % 2, /* both of equal curves show */
                                           .steps = true});
    }
    cup_figure_close(figure);
}

/* ---- many servers: boxes
 * --------------------------------------------------------------------------- */

static void draw_keys(struct cup_figure *figure, const struct cup_open_latency *plot, size_t rows)
{
    bool there[CUP_OPEN_KINDS] = {0};
    for (size_t i = 0; i < rows; i++)
        there[plot->rows[i].kind] = true;
    for (size_t kind = 0; kind < CUP_OPEN_KINDS; kind++)
        if (there[kind])
            cup_figure_add_key(figure, CUP_KEY_BOX, figure->theme->paints[kinds[kind].paint], "%s",
                               kinds[kind].name);
    cup_figure_add_key(figure, CUP_KEY_LINE, figure->theme->ink, "median");
    cup_figure_add_key(figure, CUP_KEY_DOT, figure->theme->ink, "longest");
}

static void draw_box(struct cup_figure *figure, const struct cup_open_row *row, size_t at)
{
    enum { THIN = 3, PARTS = 7 }; /* a thin line: part THIN of PARTS of the row's height */
    struct cup_colour colour = figure->theme->paints[kinds[row->kind].paint];
    double width = pow(figure->x.scale.high / figure->x.scale.low, 0.0025);
    double widest = fmax(row->upper, row->lower * width * width);
    cup_mark_bar(figure, at, THIN, PARTS, row->low, row->high, colour);
    cup_mark_bar(figure, at, 0, 1, row->lower, widest, colour);
    cup_mark_bar(figure, at, 0, 1, row->middle / width, row->middle * width, figure->theme->ink);
    cup_mark_row_dot(figure, at, row->longest, figure->theme->ink);
    double behind = row->longest * width * width;
    if (cup_bar_text_fits(figure, behind, row->text))
        cup_mark_bar_text(figure, at, row->low, behind, row->text);
}

static void draw_boxes(struct cup_figure *figure, const struct cup_open_latency *plot)
{
    size_t rows = cup_rows_that_fit(figure, plot->count);
    cup_figure_set_rows(figure, "servers", plot->names, rows, plot->count);
    draw_keys(figure, plot, rows);
    cup_figure_open(figure);
    for (size_t i = 0; i < rows; i++)
        draw_box(figure, &plot->rows[i], i);
    cup_figure_close(figure);
}

void cup_chart_open_latency(struct cup_figure *figure, const void *data)
{
    const struct cup_open_latency *plot = data;
    figure->x = (struct cup_axis){.name = "time until open",
                                  .unit = CUP_AXIS_SECONDS,
                                  .log = true,
                                  .low = plot->shortest,
                                  .high = fmax(plot->longest, plot->shortest * 2)};
    if (plot->count > CUP_OPEN_CURVES)
        draw_boxes(figure, plot);
    else
        draw_curves(figure, plot);
}

#include "plot/shared/per_worker.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "plot/figure/figure.h"
#include "plot/figure/hover_texts.h"
#include "plot/figure/marks.h"
#include "plot/shared/plot.h"
#include "plot/shared/sampled.h"
#include "plot/shared/worker_names.h"

/* A worker that appears in the samples. */
struct place {
    const struct cup_observed_worker *worker;
    size_t index; /* in observed->workers */
};

static struct cup_text name_of(const struct cup_observed_worker *worker)
{
    return worker->name.length ? worker->name : worker->address;
}

static int by_host(const void *a, const void *b)
{
    const struct cup_observed_worker *one = ((const struct place *)a)->worker;
    const struct cup_observed_worker *two = ((const struct place *)b)->worker;
    if (one->host != two->host)
        return one->host < two->host ? -1 : 1;
    int order = cup_names_compare(name_of(one), name_of(two));
    return order ? order : one < two ? -1 : one > two;
}

/* Sorts the workers and names the first ones. Returns for each worker its place in that order + 1;
 * 0: it appears in no sample. NULL without memory. */
static uint32_t *make_places(struct cup_per_worker *plot, struct cup_plot_input *input)
{
    const struct cup_observed *observed = input->totals->observed;
    struct place *places = cup_arena_take(input->arena, observed->worker_count + 1, sizeof *places);
    uint32_t *rows = cup_arena_take(input->arena, observed->worker_count + 1, sizeof *rows);
    if (!places || !rows)
        return NULL;
    for (size_t i = 0; i < observed->worker_count; i++)
        if (cup_observed_known(&observed->workers[i]))
            places[plot->worker_count++] = (struct place){&observed->workers[i], i};
    qsort(places, plot->worker_count, sizeof *places, by_host);
    for (size_t i = 0; i < plot->worker_count; i++) {
        rows[places[i].index] = (uint32_t)i + 1;
        if (i < CUP_WORKER_NAMES)
            plot->workers[i] = cup_observed_worker_name(input->arena, places[i].worker);
    }
    return rows;
}

/* How many workers share a row of the picture; at least 1. */
static size_t workers_of_row(size_t workers, size_t rows)
{
    size_t each = rows ? (workers + rows - 1) / rows : 0;
    return each ? each : 1;
}

/* Allocates the cells: sums while samples are read, means afterwards. */
static int allocate_cells(struct cup_per_worker *plot, const struct cup_time_bins *time,
                          struct cup_arena *arena, size_t *per_row, double **counts)
{
    *per_row = workers_of_row(plot->worker_count, CUP_WORKER_ROWS);
    plot->row_count = (plot->worker_count + *per_row - 1) / *per_row;
    plot->bin_count = time->count;
    plot->values = cup_arena_take(arena, plot->row_count * plot->bin_count, sizeof(double));
    *counts = cup_arena_take(arena, plot->row_count * plot->bin_count, sizeof(double));
    return plot->values && *counts ? 0 : -1;
}

static void finish_means(struct cup_per_worker *plot, const struct cup_time_bins *time,
                         const double *counts)
{
    plot->seconds = time->run_s;
    plot->bin_s = time->bin_s;
    plot->highest = -INFINITY;
    for (size_t i = 0; i < plot->row_count * plot->bin_count; i++) {
        plot->values[i] = counts[i] > 0 ? plot->values[i] / counts[i] : NAN;
        plot->highest = fmax(plot->highest, plot->values[i]);
    }
    for (size_t i = 0; i < plot->bin_count; i++)
        plot->time_s[i] = cup_time_bins_middle(time, i);
}

static int read_samples(struct cup_per_worker *plot, const struct cup_time_bins *time,
                        struct cup_plot_input *input, const struct cup_quantity *quantity,
                        const uint32_t *places)
{
    size_t per_row;
    double *counts;
    struct cup_sample_feed feed;
    struct cup_sample_head head;
    struct cup_sample_row row;
    if (allocate_cells(plot, time, input->arena, &per_row, &counts) != 0 ||
        cup_observed_feed(input->totals->observed, &feed) != 0)
        return -1;
    while (cup_sample_feed_next(&feed, &head)) {
        double at = cup_time_bins_second(time, head.time_ns) / time->bin_s;
        while (cup_sample_feed_row(&feed, &row)) {
            double value = cup_quantity_value(quantity, &row);
            uint32_t place = places[row.worker];
            if (isnan(value) || !place || !(at >= 0 && at < (double)time->count))
                continue;
            size_t of = cup_worker_row(plot, (place - 1) / per_row);
            size_t cell = of * plot->bin_count + (size_t)at;
            plot->values[cell] += value;
            counts[cell]++;
        }
    }
    finish_means(plot, time, counts);
    return cup_sample_feed_close(&feed);
}

static void write_caption(struct cup_plot_input *input, const struct cup_per_worker *plot,
                          const char *of, double bin_s)
{
    char workers[64];
    size_t each = workers_of_row(plot->worker_count, plot->row_count);
    char shared[48] = "";
    if (each > 1)
        snprintf(shared, sizeof shared, ", each row the mean of %zu", each);
    cup_plot_set_caption(input, "%s %s%s%s%s. Samples in bins of %.3g s (Dask).", of,
                         cup_count_text(workers, plot->worker_count, "worker"),
                         plot->heat ? ", sorted by host and name" : "", shared,
                         plot->heat ? "; blank: no sample of the worker" : "", bin_s);
}

/* Makes a heat map instead of lines for many workers or, with FLAT, for any number of them. FLAT is
 * for values that are often equal: their lines would hide each other. */
static const void *make_per_worker(struct cup_plot_input *input,
                                   const struct cup_quantity *quantity, bool flat)
{
    struct cup_per_worker *plot = cup_arena_take(input->arena, 1, sizeof *plot);
    struct cup_time_bins time;
    const uint32_t *places = plot ? make_places(plot, input) : NULL;
    if (!places)
        return NULL;
    cup_sample_bins_make(&time, input->totals);
    time.count = plot->worker_count ? time.count : 0;
    if (!cup_has_samples(input, &time))
        return NULL;
    if (!flat && plot->worker_count == 1)
        return cup_plot_unavailable(input, "there was one worker: %s shows it",
                                    quantity == &cup_memory_share ? "memory-utilization"
                                                                  : "cpu-utilization");
    if (read_samples(plot, &time, input, quantity, places) != 0)
        return NULL;
    if (!isfinite(plot->highest))
        return cup_plot_unavailable(input, "no sample of the run has a value for \"%s\"",
                                    quantity->name);
    plot->name = quantity->name;
    plot->heat = flat || plot->worker_count > CUP_WORKER_LINES;
    write_caption(input, plot, quantity->of, time.bin_s);
    return plot;
}

const void *cup_activity_by_samples(struct cup_plot_input *input)
{
    return make_per_worker(input, &cup_busy_share, true);
}

const void *cup_data_per_worker(struct cup_plot_input *input)
{
    bool is_memory = strcmp(input->name, "memory-per-worker") == 0;
    return make_per_worker(input, is_memory ? &cup_memory_share : &cup_cpu_share, false);
}

/* ---- drawing -------------------------------------------------------------------------------- */

static void draw_lines(struct cup_figure *figure, const struct cup_per_worker *plot)
{
    figure->y = cup_axis_up_to(plot->name, CUP_AXIS_PERCENT, plot->highest);
    for (size_t i = 0; i < plot->row_count; i++)
        cup_figure_add_key(figure, CUP_KEY_LINE, cup_theme_paint(figure->theme, (unsigned)i),
                           "%.*s", (int)plot->workers[i].length, plot->workers[i].bytes);
    cup_figure_open(figure);
    for (size_t i = 0; i < plot->row_count; i++)
        cup_mark_line(figure, plot->time_s, plot->values + i * plot->bin_count, plot->bin_count,
                      &(struct cup_stroke){.colour = cup_theme_paint(figure->theme, (unsigned)i)});
    cup_figure_close(figure);
}

/* Values as shares of the highest. A known 0 gets a small strength, so that it differs from an
 * unknown value. */
static double *make_strengths(struct cup_figure *figure, const struct cup_per_worker *plot)
{
    size_t count = plot->row_count * plot->bin_count;
    double *cells = calloc(count + 1, sizeof *cells);
    if (!cells)
        figure->canvas->out_of_memory = true;
    for (size_t i = 0; cells && i < count; i++)
        cells[i] = isnan(plot->values[i]) ? 0 : fmax(1e-3, plot->values[i] / plot->highest);
    return cells;
}

static void add_strength_key(struct cup_figure *figure, const struct cup_per_worker *plot,
                             double share)
{
    double value = plot->highest * share, digit = pow(10, floor(log10(fmax(value, 1e-3))) - 1);
    cup_figure_add_key(figure, CUP_KEY_BOX, cup_theme_strength(figure->theme, share), "%.3g %%",
                       round(value / digit) * digit);
}

static struct cup_axis make_worker_axis(const struct cup_per_worker *plot)
{
    if (cup_workers_have_names(plot))
        return cup_axis_names("workers", plot->workers, plot->worker_count);
    return cup_axis_exact("workers", CUP_AXIS_COUNT, (double)plot->worker_count);
}

/* Percentage points. Colours of values that differ by less look the same, so adjacent bins of such
 * values are drawn as one piece. */
#define VISIBLE_STEP 2

static bool looks_same(double one, double other)
{
    return isnan(one) ? isnan(other) : fabs(one - other) < VISIBLE_STEP;
}

static void draw_row(struct cup_figure *figure, const struct cup_per_worker *plot, size_t row)
{
    const double *values = plot->values + row * plot->bin_count;
    for (size_t first = 0, i = 1; i <= plot->bin_count; i++) {
        if (i < plot->bin_count && looks_same(values[i], values[first]))
            continue;
        cup_mark_heat(figure, row, (double)first * plot->bin_s,
                      fmin((double)i * plot->bin_s, plot->seconds),
                      values[first] / fmax(plot->highest, 1e-9), values[first]);
        first = i;
    }
}

static void draw_cells(struct cup_figure *figure, const struct cup_per_worker *plot)
{
    double *cells = cup_workers_have_names(plot) ? NULL : make_strengths(figure, plot);
    for (size_t row = 0; cup_workers_have_names(plot) && row < plot->row_count; row++)
        draw_row(figure, plot, row);
    if (cells) {
        cup_mark_density(figure, cells, plot->bin_count, plot->row_count);
        cup_hover_grid(figure, &(struct cup_grid_values){.values = plot->values,
                                                         .columns = plot->bin_count,
                                                         .rows = plot->row_count,
                                                         .times = 1,
                                                         .what = " %"});
    }
    free(cells);
}

static void draw_heat(struct cup_figure *figure, const struct cup_per_worker *plot)
{
    figure->y = make_worker_axis(plot);
    figure->high_rows = true;
    add_strength_key(figure, plot, 0);
    add_strength_key(figure, plot, 0.5);
    add_strength_key(figure, plot, 1);
    cup_figure_add_key(figure, CUP_KEY_NONE, figure->theme->ink, "%s", plot->name);
    cup_figure_open(figure);
    draw_cells(figure, plot);
    cup_figure_close(figure);
}

void cup_chart_per_worker(struct cup_figure *figure, const void *data)
{
    const struct cup_per_worker *plot = data;
    figure->x = cup_run_axis(plot->seconds);
    if (plot->heat)
        draw_heat(figure, plot);
    else
        draw_lines(figure, plot);
}

#include "plot/shared/sampled.h"

#include <math.h>
#include <string.h>

#include "plot/figure/figure.h"
#include "plot/figure/marks.h"
#include "plot/shared/plot.h"

static double percent(double part, double whole)
{
    return whole > 0 ? 100 * part / whole : NAN;
}

static double memory(const struct cup_sample_row *row)
{
    return percent(row->values[CUP_SEEN_MEMORY], row->values[CUP_SEEN_LIMIT]);
}

/* Dask reports CPU in percent of one core. */
static double cpu(const struct cup_sample_row *row)
{
    return percent(row->values[CUP_SEEN_CPU] / 100, row->values[CUP_SEEN_THREADS]);
}

static double busy(const struct cup_sample_row *row)
{
    return percent(row->values[CUP_SEEN_EXECUTING], row->values[CUP_SEEN_THREADS]);
}

const struct cup_quantity cup_memory_share = {
    "memory / its limit", CUP_AXIS_PERCENT, memory,
    "Resident memory of each worker's process. Workers without a memory limit are left out."};

const struct cup_quantity cup_cpu_share = {
    "CPU / threads", CUP_AXIS_PERCENT, cpu,
    "CPU use of each worker's process, relative to one core per task thread."};

const struct cup_quantity cup_busy_share = {
    "running tasks / threads", CUP_AXIS_PERCENT, busy,
    "Running tasks of each worker, relative to its task threads."};

void cup_sample_bins_make(struct cup_time_bins *time, const struct cup_totals *totals)
{
    const struct cup_observed *observed = totals->observed;
    double mean_s = observed->gaps ? observed->gaps_ns / 1e9 / (double)observed->gaps : 0;
    double sample_s = fmax(observed->asked_s, mean_s);
    cup_time_bins_make(time, totals);
    if (!(sample_s > time->bin_s))
        return;
    time->bin_s = sample_s * 1.05;
    time->count = (size_t)ceil(time->run_s / time->bin_s);
}

/* ---- samples over time ---------------------------------------------------------------------- */

/* The sums of a time bin while samples are read. */
struct bin {
    double sum, least, most;
    uint64_t rows, samples;
};

static double executing(const struct cup_sample_row *row)
{
    return row->values[CUP_SEEN_EXECUTING];
}

static double active(const struct cup_sample_row *row)
{
    return row->values[CUP_SEEN_PROCESSING];
}

static double threads(const struct cup_sample_row *row)
{
    return row->values[CUP_SEEN_THREADS];
}

static double occupancy(const struct cup_sample_row *row)
{
    return row->values[CUP_SEEN_OCCUPANCY];
}

/* ---- reading samples ---------------------------------------------------------------- */

static void add_row(struct bin *bin, double value)
{
    if (isnan(value))
        return;
    bin->least = bin->rows ? fmin(bin->least, value) : value;
    bin->most = bin->rows ? fmax(bin->most, value) : value;
    bin->sum += value;
    bin->rows++;
}

static void add_sample(struct bin *bins, const struct cup_time_bins *time, int64_t time_ns,
                       struct cup_sample_feed *feed, const struct cup_quantity *quantity)
{
    struct cup_sample_row row;
    double at = cup_time_bins_second(time, time_ns) / time->bin_s;
    bool inside = at >= 0 && at < (double)time->count;
    struct bin *bin = &bins[inside ? (size_t)at : 0];
    while (cup_sample_feed_row(feed, &row))
        if (inside)
            add_row(bin, quantity->value(&row));
    bin->samples += inside;
}

static void fill_bins(struct cup_sampled *plot, const struct bin *bins,
                      const struct cup_time_bins *time)
{
    plot->count = time->count;
    plot->seconds = time->run_s;
    plot->bin_s = time->bin_s;
    for (size_t i = 0; i < time->count; i++) {
        const struct bin *bin = &bins[i];
        double by = plot->sum ? (double)bin->samples : (double)bin->rows;
        plot->time_s[i] = fmin(((double)i + 0.5) * time->bin_s, time->run_s);
        plot->middle[i] = bin->rows ? bin->sum / by : NAN;
        plot->least[i] = bin->rows ? bin->least : NAN;
        plot->most[i] = bin->rows ? bin->most : NAN;
        plot->highest = fmax(plot->highest, plot->sum ? plot->middle[i] : plot->most[i]);
    }
}

/* Returns false and sets input->reason if the samples do not suffice. */
static bool can_be_made(struct cup_plot_input *input, const struct cup_time_bins *time, bool sum)
{
    const struct cup_observed *observed = input->totals->observed;
    if (!observed->origin || time->count == 0)
        return cup_plot_unavailable(input, "%s",
                                    observed->reason[0] ? observed->reason
                                                        : "there are no samples of the workers");
    if (sum && observed->origin == CUP_SAMPLES_WORKERS)
        return cup_plot_unavailable(input, "the workers sampled themselves at different times, so "
                                           "their values cannot be added up");
    return true;
}

struct cup_sampled *cup_sampled_make(struct cup_plot_input *input,
                                     const struct cup_quantity *quantity, bool sum)
{
    const struct cup_observed *observed = input->totals->observed;
    struct cup_sampled *plot = cup_arena_take(input->arena, 1, sizeof *plot);
    struct bin *bins = cup_arena_take(input->arena, CUP_TIME_BINS, sizeof *bins);
    struct cup_time_bins time;
    struct cup_sample_feed feed;
    struct cup_sample_head head;
    if (!plot || !bins)
        return NULL;
    cup_sample_bins_make(&time, input->totals);
    if (!can_be_made(input, &time, sum) || cup_observed_feed(observed, &feed) != 0)
        return NULL;
    while (cup_sample_feed_next(&feed, &head))
        add_sample(bins, &time, head.time_ns, &feed, quantity);
    if (cup_sample_feed_close(&feed) != 0)
        return NULL;
    plot->name = quantity->name;
    plot->unit = quantity->unit;
    plot->sum = sum;
    plot->highest = -INFINITY;
    fill_bins(plot, bins, &time);
    if (!isfinite(plot->highest)) {
        cup_plot_unavailable(input, "no sample of the run has a value for \"%s\"", quantity->name);
        return NULL;
    }
    cup_plot_set_caption(input, "%s Samples in bins of %.3g s (Dask).", quantity->of, time.bin_s);
    return plot;
}

/* A sum is drawn as a step over its whole bin: the times are the beginnings of the bins, and the
 * end. */
static struct cup_sampled *make_steps(struct cup_plot_input *input,
                                      const struct cup_quantity *quantity)
{
    struct cup_sampled *plot = cup_sampled_make(input, quantity, true);
    if (!plot)
        return NULL;
    for (size_t i = 0; i < plot->count; i++)
        plot->time_s[i] = (double)i * plot->bin_s;
    plot->time_s[plot->count] = plot->seconds;
    plot->middle[plot->count] = plot->middle[plot->count - 1];
    plot->count++;
    return plot;
}

/* A number of tasks, together with the number of task threads, which is how many could run. */
static const void *make_with_threads(struct cup_plot_input *input,
                                     const struct cup_quantity *quantity)
{
    static const struct cup_quantity threads_of = {"threads", CUP_AXIS_COUNT, threads, ""};
    const struct cup_sampled *of_threads = make_steps(input, &threads_of);
    struct cup_sampled *plot = make_steps(input, quantity);
    if (!plot || !of_threads)
        return plot;
    plot->threads = of_threads->middle;
    plot->highest = fmax(plot->highest, of_threads->highest);
    return plot;
}

/* ---- the plots ---------------------------------------------------------------------------- */

static const struct {
    const char *name; /* of the plot */
    struct cup_quantity quantity;
} numbers_of_tasks[] = {
    {"executing-tasks",
     {"running tasks", CUP_AXIS_COUNT, executing, "Running tasks of all workers."}},
    {"active-tasks",
     {"assigned tasks", CUP_AXIS_COUNT, active, "Running and queued tasks of all workers."}},
};

const void *cup_data_sampled(struct cup_plot_input *input)
{
    static const struct cup_quantity occupancy_of = {
        "occupancy", CUP_AXIS_SECONDS, occupancy,
        "Time that all assigned tasks would take, by the scheduler's estimate."};
    for (size_t i = 0; i < sizeof numbers_of_tasks / sizeof *numbers_of_tasks; i++)
        if (strcmp(input->name, numbers_of_tasks[i].name) == 0)
            return make_with_threads(input, &numbers_of_tasks[i].quantity);
    if (strcmp(input->name, "occupancy") == 0)
        return make_steps(input, &occupancy_of);
    bool is_memory = strcmp(input->name, "memory-utilization") == 0;
    return cup_sampled_make(input, is_memory ? &cup_memory_share : &cup_cpu_share, false);
}

/* ---- drawing -------------------------------------------------------------------------------- */

void cup_chart_sampled(struct cup_figure *figure, const void *data)
{
    const struct cup_sampled *plot = data;
    struct cup_colour colour = figure->theme->paints[CUP_PAINT_BLUE];
    const struct cup_stroke threads = {
        .colour = figure->theme->paints[CUP_PAINT_GREEN], .steps = true, .dashed = true};
    figure->x = cup_run_axis(plot->seconds);
    figure->y = cup_axis_up_to(plot->name, plot->unit, plot->highest);
    if (!plot->sum) {
        cup_figure_add_key(figure, CUP_KEY_LINE, colour, "mean of the workers");
        cup_figure_add_key(figure, CUP_KEY_BAND, colour, "least to largest");
    }
    if (plot->threads) {
        cup_figure_add_key(figure, CUP_KEY_LINE, colour, "%s", plot->name);
        cup_figure_add_key(figure, CUP_KEY_DASHES, threads.colour, "task threads");
    }
    cup_figure_open(figure);
    if (!plot->sum)
        cup_mark_band(figure, plot->time_s, plot->least, plot->most, plot->count, colour);
    cup_mark_line(figure, plot->time_s, plot->middle, plot->count,
                  &(struct cup_stroke){.colour = colour, .filled = plot->sum, .steps = plot->sum});
    if (plot->threads)
        cup_mark_line(figure, plot->time_s, plot->threads, plot->count, &threads);
    cup_figure_close(figure);
}

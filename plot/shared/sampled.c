#include "plot/shared/sampled.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "plot/shared/busy.h"
#include "plot/shared/curves.h"
#include "plot/shared/plot.h"
#include "plot/shared/worker_names.h"

double cup_quantity_value(const struct cup_quantity *quantity, const struct cup_sample_row *row)
{
    double part = row->values[quantity->part], whole = row->values[quantity->whole];
    if (!quantity->share)
        return part;
    if (quantity->part == CUP_SEEN_CPU) /* Dask reports CPU in percent of one core */
        part /= 100;
    return whole > 0 ? 100 * part / whole : NAN;
}

const struct cup_quantity cup_memory_share = {
    "memory / its limit",
    CUP_AXIS_PERCENT,
    CUP_SEEN_MEMORY,
    CUP_SEEN_LIMIT,
    true,
    "Resident memory of each worker's process. Workers without a memory limit are left out."};

const struct cup_quantity cup_cpu_share = {
    "CPU / threads",
    CUP_AXIS_PERCENT,
    CUP_SEEN_CPU,
    CUP_SEEN_THREADS,
    true,
    "CPU use of each worker's process, relative to one core per task thread."};

const struct cup_quantity cup_busy_share = {
    "running tasks / threads",
    CUP_AXIS_PERCENT,
    CUP_SEEN_EXECUTING,
    CUP_SEEN_THREADS,
    true,
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
            add_row(bin, cup_quantity_value(quantity, &row));
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
        plot->time_s[i] = cup_time_bins_middle(time, i);
        plot->middle[i] = bin->rows ? bin->sum / by : NAN;
        plot->least[i] = bin->rows ? bin->least : NAN;
        plot->most[i] = bin->rows ? bin->most : NAN;
        plot->highest = fmax(plot->highest, plot->sum ? plot->middle[i] : plot->most[i]);
    }
}

bool cup_has_samples(struct cup_plot_input *input, const struct cup_time_bins *time)
{
    const struct cup_observed *observed = input->totals->observed;
    if (observed->origin && time->count)
        return true;
    cup_plot_unavailable(input, "%s",
                         observed->reason[0] ? observed->reason
                                             : "there are no samples of the workers");
    return false;
}

/* Returns false and sets input->reason if the samples do not suffice. */
static bool can_be_made(struct cup_plot_input *input, const struct cup_time_bins *time, bool sum)
{
    if (!cup_has_samples(input, time))
        return false;
    if (sum && input->totals->observed->origin == CUP_SAMPLES_WORKERS)
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

/* ---- the plots ---------------------------------------------------------------------------- */

static struct cup_curve curve_of(const char *name, const struct cup_sampled *sampled,
                                 enum cup_curve_kind kind)
{
    return (struct cup_curve){.name = name,
                              .kind = kind,
                              .paint = CUP_PAINT_BLUE,
                              .time_s = sampled->time_s,
                              .values = sampled->middle,
                              .count = sampled->count};
}

/* The only worker of the samples; NULL: there are several. */
static const struct cup_observed_worker *find_only_worker(const struct cup_observed *observed)
{
    const struct cup_observed_worker *only = NULL;
    for (size_t i = 0; i < observed->worker_count; i++) {
        if (!cup_observed_known(&observed->workers[i]))
            continue;
        if (only)
            return NULL;
        only = &observed->workers[i];
    }
    return only;
}

/* The mean, and the range of the workers behind it. One worker has no range. */
static void add_mean(struct cup_curves *plot, struct cup_plot_input *input,
                     const struct cup_sampled *sampled)
{
    const struct cup_observed_worker *only = find_only_worker(input->totals->observed);
    struct cup_curve range = curve_of("least to largest", sampled, CUP_CURVE_BAND);
    range.low = sampled->least;
    range.values = sampled->most;
    range.behind = 1;
    const char *name = "mean of the workers";
    if (only) {
        struct cup_text text = cup_observed_worker_name(input->arena, only);
        name = cup_arena_text(input->arena, text.bytes, text.length);
    }
    cup_curves_add(plot, curve_of(name, sampled, CUP_CURVE_LINE));
    if (!only)
        cup_curves_add(plot, range);
}

/* A limit above this multiple of the highest value would squeeze the curves to the bottom: only the
 * legend gives it. */
#define NEAR 6.0

/* Prints the memory limits of the workers: "1 GB", "1 GB to 4 GB", "" if no worker has one. Returns
 * the lowest, or NAN. */
static double find_limits(const struct cup_observed *observed, char to[64])
{
    struct cup_range limits = cup_range_none();
    char low[24], high[24];
    for (size_t i = 0; i < observed->worker_count; i++) {
        const struct cup_timeline *limit = &observed->workers[i].values[CUP_SEEN_LIMIT];
        if (limit->count && limit->min > 0) {
            cup_range_add(&limits, limit->min);
            cup_range_add(&limits, limit->max);
        }
    }
    to[0] = '\0';
    if (isnan(limits.low))
        return NAN;
    cup_tick_text(low, limits.low, CUP_AXIS_BYTES);
    cup_tick_text(high, limits.high, CUP_AXIS_BYTES);
    snprintf(to, 64, "%s%s%s", low, limits.low < limits.high ? " to " : "",
             limits.low < limits.high ? high : "");
    return limits.low;
}

/* Adds a line at the lowest limit, or only its value to the legend. */
static void add_limit(struct cup_curves *plot, struct cup_plot_input *input,
                      const struct cup_sampled *sampled)
{
    char limits[64], none[96] = "", workers[64];
    const struct cup_observed *observed = input->totals->observed;
    double limit = find_limits(observed, limits);
    bool near = limit <= NEAR * sampled->highest;
    char *name = cup_arena_take(input->arena, 1, sizeof limits + 64);
    if (name && !isnan(limit)) {
        snprintf(name, sizeof limits + 64, "limit of a worker: %s%s", limits,
                 near ? "" : ", far above");
        plot->level = limit;
        cup_curves_add(plot, (struct cup_curve){.name = name,
                                                .paint = CUP_PAINT_VIOLET,
                                                .kind = near ? CUP_CURVE_LEVEL : CUP_CURVE_NOTE,
                                                .values = &plot->level,
                                                .count = near});
    }
    if (observed->without_limit)
        snprintf(none, sizeof none, " Without a memory limit: %s.",
                 cup_count_text(workers, observed->without_limit, "worker"));
    cup_plot_set_caption(
        input, "Resident memory of each worker's process.%s Samples in bins of %.3g s (Dask).",
        none, sampled->bin_s);
}

/* A sum is drawn as a step over its whole bin: the times are the beginnings of the bins, and the
 * end. */
static struct cup_sampled *make_steps(struct cup_plot_input *input,
                                      const struct cup_quantity *quantity)
{
    struct cup_sampled *steps = cup_sampled_make(input, quantity, true);
    if (!steps)
        return NULL;
    for (size_t i = 0; i < steps->count; i++)
        steps->time_s[i] = (double)i * steps->bin_s;
    steps->time_s[steps->count] = steps->seconds;
    steps->middle[steps->count] = steps->middle[steps->count - 1];
    steps->count++;
    return steps;
}

/* A number of tasks is shown together with the number of task threads, which is how many could run.
 */
static void add_steps(struct cup_curves *plot, const struct cup_quantity *quantity,
                      const struct cup_sampled *steps, const struct cup_sampled *threads)
{
    cup_curves_add(plot, curve_of(threads ? quantity->name : NULL, steps, CUP_CURVE_FILLED));
    if (!threads)
        return;
    struct cup_curve curve = curve_of("task threads", threads, CUP_CURVE_DASHES);
    curve.paint = CUP_PAINT_GREEN;
    cup_curves_add(plot, curve);
}

static const struct {
    const char *plot;
    const struct cup_quantity quantity;
    bool mean; /* else a sum */
    bool with_threads;
} shown[] = {
    {"memory-utilization",
     {"memory of a worker", CUP_AXIS_BYTES, .part = CUP_SEEN_MEMORY, .of = ""},
     .mean = true},
    {"cpu-utilization",
     {"CPU / threads", CUP_AXIS_PERCENT, CUP_SEEN_CPU, CUP_SEEN_THREADS, true,
      "CPU use of each worker's process, relative to one core per task thread."},
     .mean = true},
    {"executing-tasks",
     {"running tasks", CUP_AXIS_COUNT, .part = CUP_SEEN_EXECUTING,
      .of = "Running tasks of all workers."},
     .with_threads = true},
    {"active-tasks",
     {"assigned tasks", CUP_AXIS_COUNT, .part = CUP_SEEN_PROCESSING,
      .of = "Running and queued tasks of all workers."},
     .with_threads = true},
    {"occupancy",
     {"occupancy", CUP_AXIS_SECONDS, .part = CUP_SEEN_OCCUPANCY,
      .of = "Time that all assigned tasks would take, by the scheduler's estimate."},
     .mean = false},
};

/* Running tasks and task threads by the times of the tasks, which are exact. */
static const void *make_running_tasks(struct cup_plot_input *input, const struct cup_busy *busy)
{
    struct cup_curves *plot = cup_arena_take(input->arena, 1, sizeof *plot);
    const struct cup_time_line *tasks = cup_time_line_new(input->arena, &busy->tasks);
    const struct cup_time_line *threads = cup_time_line_new(input->arena, &busy->threads);
    if (!plot || !tasks || !threads)
        return NULL;
    *plot = (struct cup_curves){
        .name = "running tasks", .unit = CUP_AXIS_COUNT, .seconds = busy->tasks.run_s};
    cup_curves_add(plot, cup_curve_of(plot->name, CUP_PAINT_BLUE, CUP_CURVE_FILLED, tasks));
    cup_curves_add(plot, cup_curve_of("task threads", CUP_PAINT_GREEN, CUP_CURVE_DASHES, threads));
    cup_plot_set_caption(input,
                         "Running tasks of all workers, by their times; the mean of each %.3g s "
                         "(cupping).",
                         busy->tasks.bin_s);
    return plot;
}

const void *cup_data_sampled(struct cup_plot_input *input)
{
    static const struct cup_quantity threads_of = {"threads", CUP_AXIS_COUNT,
                                                   .part = CUP_SEEN_THREADS, .of = ""};
    const struct cup_busy *busy =
        strcmp(input->name, "executing-tasks") == 0 ? cup_busy_make(input) : NULL;
    if (busy)
        return make_running_tasks(input, busy);
    struct cup_curves *plot = cup_arena_take(input->arena, 1, sizeof *plot);
    size_t which = 0;
    while (strcmp(input->name, shown[which].plot) != 0)
        which++;
    const struct cup_quantity *quantity = &shown[which].quantity;
    const struct cup_sampled *threads =
        shown[which].with_threads ? make_steps(input, &threads_of) : NULL;
    const struct cup_sampled *sampled =
        shown[which].mean ? cup_sampled_make(input, quantity, false) : make_steps(input, quantity);
    if (!plot || !sampled)
        return NULL;
    *plot = (struct cup_curves){
        .name = quantity->name, .unit = quantity->unit, .seconds = sampled->seconds};
    if (!shown[which].mean)
        add_steps(plot, quantity, sampled, threads);
    else
        add_mean(plot, input, sampled);
    if (shown[which].mean && quantity->unit == CUP_AXIS_BYTES)
        add_limit(plot, input, sampled);
    return plot;
}

#include <math.h>

#include "plot/charts.h"
#include "plot/sampled.h"

/* What is shown, and how it is made of a row; NAN: not known. */
struct quantity {
    const char *name;
    enum cup_axis_unit unit;
    bool sum;
    double (*value)(const struct cup_sample_row *row);
    const char *of; /* for the caption */
};

/* While samples are gone through. */
struct bin {
    double sum, least, most;
    uint64_t rows, samples;
};

static double ratio(double part, double whole)
{
    return whole > 0 ? 100 * part / whole : NAN;
}

static double memory(const struct cup_sample_row *row)
{
    return ratio(row->values[CUP_SEEN_MEMORY], row->values[CUP_SEEN_LIMIT]);
}

static double cpu(const struct cup_sample_row *row) /* percent of one core, as Dask has it */
{
    return ratio(row->values[CUP_SEEN_CPU] / 100, row->values[CUP_SEEN_THREADS]);
}

static double executing(const struct cup_sample_row *row)
{
    return row->values[CUP_SEEN_EXECUTING];
}

static double active(const struct cup_sample_row *row)
{
    return row->values[CUP_SEEN_PROCESSING];
}

static double occupancy(const struct cup_sample_row *row)
{
    return row->values[CUP_SEEN_OCCUPANCY];
}

/* ---- going through samples ---------------------------------------------------------------- */

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
                       struct cup_sample_feed *feed, const struct quantity *quantity)
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

static void fill(struct cup_sampled *plot, const struct bin *bins, const struct cup_time_bins *time)
{
    plot->count = time->count;
    plot->seconds = time->run_s;
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

/* Bins are never shorter than samples are apart, or there would be gaps between them. */
static void widen(struct cup_time_bins *time, double sample_s)
{
    if (!(sample_s > time->bin_s))
        return;
    time->bin_s = sample_s * 1.05;
    time->count = (size_t)ceil(time->run_s / time->bin_s);
}

static const void *make(struct cup_plot_input *input, const struct quantity *quantity)
{
    const struct cup_observed *observed = &input->totals->observed;
    struct cup_sampled *plot = cup_arena_take(input->arena, 1, sizeof *plot);
    struct bin *bins = cup_arena_take(input->arena, CUP_TIME_BINS, sizeof *bins);
    struct cup_time_bins time;
    struct cup_sample_feed feed;
    struct cup_sample_head head;
    if (!plot || !bins)
        return NULL;
    cup_time_bins_make(&time, input->totals);
    widen(&time, observed->asked_s);
    if (!observed->origin || time.count == 0)
        return cup_plot_none(input, "%s",
                             observed->reason[0] ? observed->reason : "no samples of the workers");
    if (quantity->sum && observed->origin == CUP_SAMPLES_WORKERS)
        return cup_plot_none(input, "the workers' own samples, taken at different times, add up to "
                                    "nothing");
    if (cup_observed_feed(observed, &feed) != 0)
        return NULL;
    while (cup_sample_feed_next(&feed, &head))
        add_sample(bins, &time, head.time_ns, &feed, quantity);
    if (cup_sample_feed_close(&feed) != 0)
        return NULL;
    plot->name = quantity->name;
    plot->unit = quantity->unit;
    plot->sum = quantity->sum;
    plot->highest = -INFINITY;
    fill(plot, bins, &time);
    if (!isfinite(plot->highest))
        return cup_plot_none(input, "no sample of the run tells it");
    cup_plot_say(input, "%s Samples in bins of %.3g s (D).", quantity->of, time.bin_s);
    return plot;
}

/* ---- the plots ---------------------------------------------------------------------------- */

const void *cup_data_memory_utilization(struct cup_plot_input *input)
{
    static const struct quantity quantity = {
        "memory / its limit", CUP_AXIS_PERCENT, false, memory,
        "Resident memory of each worker's process; workers without a limit are left out."};
    return make(input, &quantity);
}

const void *cup_data_cpu_utilization(struct cup_plot_input *input)
{
    static const struct quantity quantity = {
        "CPU / threads", CUP_AXIS_PERCENT, false, cpu,
        "CPU that each worker's process uses, of as many cores as it has threads for tasks."};
    return make(input, &quantity);
}

const void *cup_data_executing_tasks(struct cup_plot_input *input)
{
    static const struct quantity quantity = {"tasks that run", CUP_AXIS_COUNT, true, executing,
                                             "Tasks that all workers execute."};
    return make(input, &quantity);
}

const void *cup_data_active_tasks(struct cup_plot_input *input)
{
    static const struct quantity quantity = {"tasks assigned", CUP_AXIS_COUNT, true, active,
                                             "Tasks that all workers execute or have queued."};
    return make(input, &quantity);
}

const void *cup_data_occupancy(struct cup_plot_input *input)
{
    static const struct quantity quantity = {
        "occupancy", CUP_AXIS_SECONDS, true, occupancy,
        "Time that what is assigned to all workers would take, by the scheduler's estimate."};
    return make(input, &quantity);
}

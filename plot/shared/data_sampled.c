#include <math.h>

#include "plot/shared/plot.h"
#include "plot/shared/quantity.h"
#include "plot/shared/sampled.h"

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

static struct cup_sampled *make_sampled(struct cup_plot_input *input,
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

const struct cup_sampled *cup_sampled_make(struct cup_plot_input *input,
                                           const struct cup_quantity *quantity, bool sum)
{
    return make_sampled(input, quantity, sum);
}

/* A sum is drawn as a step over its whole bin: the times are the beginnings of the bins, and the
 * end. */
static struct cup_sampled *make_steps(struct cup_plot_input *input,
                                      const struct cup_quantity *quantity)
{
    struct cup_sampled *plot = make_sampled(input, quantity, true);
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

const void *cup_data_memory_utilization(struct cup_plot_input *input)
{
    return cup_sampled_make(input, &cup_memory_share, false);
}

const void *cup_data_cpu_utilization(struct cup_plot_input *input)
{
    return cup_sampled_make(input, &cup_cpu_share, false);
}

const void *cup_data_executing_tasks(struct cup_plot_input *input)
{
    static const struct cup_quantity quantity = {"running tasks", CUP_AXIS_COUNT, executing,
                                                 "Running tasks of all workers."};
    return make_with_threads(input, &quantity);
}

const void *cup_data_active_tasks(struct cup_plot_input *input)
{
    static const struct cup_quantity quantity = {"assigned tasks", CUP_AXIS_COUNT, active,
                                                 "Running and queued tasks of all workers."};
    return make_with_threads(input, &quantity);
}

const void *cup_data_occupancy(struct cup_plot_input *input)
{
    static const struct cup_quantity quantity = {
        "occupancy", CUP_AXIS_SECONDS, occupancy,
        "Time that all assigned tasks would take, by the scheduler's estimate."};
    return make_steps(input, &quantity);
}

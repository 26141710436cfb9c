#include <math.h>

#include "plot/shared/quantity.h"

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

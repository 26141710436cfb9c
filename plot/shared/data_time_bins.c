#include <math.h>

#include "plot/shared/time_bins.h"

#define LEAST_BIN_S 0.1

void cup_time_bins_make(struct cup_time_bins *bins, const struct cup_totals *totals)
{
    int64_t whole_ns = cup_stretch_ns(totals->run);
    *bins = (struct cup_time_bins){.start_ns = totals->run.start_ns};
    bins->run_s = whole_ns > 0 ? (double)whole_ns / 1e9 : 0;
    bins->bin_s = fmax(LEAST_BIN_S, bins->run_s / CUP_TIME_BINS);
    bins->count = (size_t)fmin(ceil(bins->run_s / bins->bin_s - 1e-9), CUP_TIME_BINS);
}

void cup_time_bins_spread(struct cup_time_bins *bins, double from, double to, double amount)
{
    double end = bins->bin_s * (double)bins->count;
    if (!(amount > 0) || !(to > from) || to <= 0 || from >= end)
        return;
    for (size_t i = from > 0 ? (size_t)(from / bins->bin_s) : 0; i < bins->count; i++) {
        double left = bins->bin_s * (double)i, right = left + bins->bin_s;
        double part = (fmin(to, right) - fmax(from, left)) / (to - from);
        if (part <= 0)
            return;
        bins->amounts[i] += amount * part;
        bins->whole += amount * part;
    }
}

/* A last bin cut short by the run's end would show the noise of single tasks: it is joined with the
 * one before. */
static size_t count_steps(const struct cup_time_bins *bins)
{
    double last_s = bins->run_s - (double)(bins->count - 1) * bins->bin_s;
    return bins->count > 1 && last_s < bins->bin_s / 2 ? bins->count - 1 : bins->count;
}

void cup_time_line_make(struct cup_time_line *line, const struct cup_time_bins *bins)
{
    *line = (struct cup_time_line){0};
    if (bins->count == 0)
        return;
    size_t steps = count_steps(bins);
    for (size_t i = 0; i < steps; i++) {
        bool last = i + 1 == steps;
        double start = (double)i * bins->bin_s, end = last ? bins->run_s : start + bins->bin_s;
        double amount = bins->amounts[i] + (last && steps < bins->count ? bins->amounts[steps] : 0);
        line->time_s[i] = start;
        line->values[i] = amount / fmax(end - start, 1e-9);
        line->most = fmax(line->most, line->values[i]);
    }
    line->time_s[steps] = bins->run_s;
    line->values[steps] = line->values[steps - 1];
    line->count = steps + 1;
}

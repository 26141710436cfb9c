#include <math.h>

#include "analysis/log/log_reader.h"
#include "plot/rates.h"

/* No shorter than what a series tells at its best. */
#define LEAST_BIN_S 0.1

static void cut(struct cup_rates *rates, const struct cup_totals *totals)
{
    int64_t whole_ns = cup_stretch_ns(totals->run);
    double whole_s = whole_ns > 0 ? (double)whole_ns / 1e9 : 0;
    rates->start_ns = totals->run.start_ns;
    rates->bin_s = fmax(LEAST_BIN_S, whole_s / CUP_RATE_BINS);
    rates->count = (size_t)fmin(ceil(whole_s / rates->bin_s), CUP_RATE_BINS);
}

/* Spreads an amount over the time from..to, seconds since the start of the first bin. */
static void spread(struct cup_rates *rates, double from, double to, double amount)
{
    double end = rates->bin_s * (double)rates->count;
    if (amount <= 0 || !(to > from) || to <= 0 || from >= end)
        return;
    for (size_t i = from > 0 ? (size_t)(from / rates->bin_s) : 0; i < rates->count; i++) {
        double left = rates->bin_s * (double)i, right = left + rates->bin_s;
        double part = fmin(to, right) - fmax(from, left);
        if (part <= 0)
            return;
        rates->bytes[i] += amount * part / (to - from);
        rates->whole += amount * part / (to - from);
    }
}

static void add_series(struct cup_rates *rates, const struct cup_process *process,
                       const struct cup_series *series)
{
    double start_s = (double)(process->header.log_start_ns - rates->start_ns) / 1e9;
    double bin_s = (double)series->bin_ns / 1e9;
    for (int bin = 0; bin < CUP_SERIES_BINS; bin++)
        spread(rates, start_s + bin * bin_s, start_s + (bin + 1) * bin_s,
               (double)series->values[CUP_S_READ_BYTES][bin]);
    rates->processes++;
}

void cup_rates_make(struct cup_rates *rates, const struct cup_totals *totals)
{
    const struct cup_profile *profile = totals->profile;
    *rates = (struct cup_rates){0};
    cut(rates, totals);
    for (size_t i = 0; i < profile->process_count && rates->count; i++) {
        struct cup_log log;
        struct cup_series series;
        struct cup_error error;
        if (!cup_process_is_worker(&profile->processes[i]) ||
            cup_log_open(&log, profile->processes[i].log_path, &error) != 0)
            continue;
        if (cup_log_series(&log, &series) == 0)
            add_series(rates, &profile->processes[i], &series);
        cup_log_close(&log);
    }
}

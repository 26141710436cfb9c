#include "plot/shared/time_bins.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "analysis/log/log_reader.h"
#include "analysis/metrics/sums/budget.h"

#define LEAST_BIN_S 0.1

void cup_time_bins_make(struct cup_time_bins *bins, const struct cup_totals *totals)
{
    int64_t whole_ns = cup_stretch_ns(totals->run);
    *bins = (struct cup_time_bins){.start_ns = totals->run.start_ns};
    bins->run_s = whole_ns > 0 ? (double)whole_ns / 1e9 : 0;
    bins->bin_s = fmax(LEAST_BIN_S, bins->run_s / CUP_TIME_BINS);
    bins->count = (size_t)fmin(ceil(bins->run_s / bins->bin_s - 1e-9), CUP_TIME_BINS);
}

double cup_time_begin(double first_s, double seconds)
{
    double from = first_s - 0.03 * (seconds - first_s);
    return from > seconds / 4 && from < seconds ? from : 0;
}

char *cup_time_begin_text(char to[CUP_TIME_BEGIN_TEXT], double from_s)
{
    char time[CUP_DURATION_TEXT];
    to[0] = '\0';
    if (from_s > 0)
        snprintf(to, CUP_TIME_BEGIN_TEXT, " The axis begins with the first task, after %s.",
                 cup_duration_text(time, from_s));
    return to;
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

void cup_time_bins_hold(struct cup_time_bins *bins, int64_t start_ns, int64_t stop_ns, double rate)
{
    double from = cup_time_bins_second(bins, start_ns), to = cup_time_bins_second(bins, stop_ns);
    cup_time_bins_spread(bins, from, to, rate * (to - from));
}

double cup_time_bins_middle(const struct cup_time_bins *bins, size_t bin)
{
    double start_s = (double)bin * bins->bin_s;
    return (start_s + fmin(start_s + bins->bin_s, bins->run_s)) / 2;
}

void cup_time_bins_widen(struct cup_time_bins *bins, double least_s)
{
    size_t joined = (size_t)fmin(fmax(ceil(least_s / bins->bin_s - 1e-9), 1), CUP_TIME_BINS);
    size_t count = (bins->count + joined - 1) / joined;
    for (size_t i = 0; joined > 1 && i < count; i++) {
        double sum = 0;
        for (size_t at = i * joined; at < (i + 1) * joined && at < bins->count; at++)
            sum += bins->amounts[at];
        bins->amounts[i] = sum;
    }
    bins->bin_s *= (double)joined;
    bins->count = count;
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

const struct cup_time_line *cup_time_line_new(struct cup_arena *arena,
                                              const struct cup_time_bins *bins)
{
    struct cup_time_line *line = cup_arena_take(arena, 1, sizeof *line);
    if (line)
        cup_time_line_make(line, bins);
    return line;
}

/* ---- series of the processes ---------------------------------------------------------------- */

static void add_series(struct cup_time_bins *bins, const struct cup_process *process,
                       const struct cup_series *series, enum cup_series_row row)
{
    double start_s = cup_time_bins_second(bins, process->header.log_start_ns);
    double bin_s = (double)series->bin_ns / 1e9;
    for (int bin = 0; bin < CUP_SERIES_BINS; bin++)
        cup_time_bins_spread(bins, start_s + bin * bin_s, start_s + (bin + 1) * bin_s,
                             (double)series->values[row][bin]);
}

static bool is_worker_of_run(const struct cup_process *process, struct cup_stretch run)
{
    struct cup_stretch there = cup_process_presence(process, run);
    return cup_process_is_worker(process) && there.start_ns <= there.stop_ns;
}

/* A log that cannot be opened any more is skipped: the profile itself is loaded already. */
size_t cup_series_make(struct cup_time_bins *bins, const struct cup_totals *totals,
                       enum cup_series_row row)
{
    const struct cup_profile *profile = totals->profile;
    uint64_t widest_ns = 0;
    size_t processes = 0;
    cup_time_bins_make(bins, totals);
    for (size_t i = 0; i < profile->process_count && bins->count; i++) {
        struct cup_log log;
        struct cup_series series;
        struct cup_error error;
        if (!is_worker_of_run(&profile->processes[i], totals->run) ||
            cup_log_open(&log, profile->processes[i].log_path, &error) != 0)
            continue;
        if (cup_log_series(&log, &series) == 0) {
            add_series(bins, &profile->processes[i], &series, row);
            widest_ns = series.bin_ns > widest_ns ? series.bin_ns : widest_ns;
            processes++;
        }
        cup_log_close(&log);
    }
    double fine_s = bins->bin_s;
    bins->log_bin_s = (double)widest_ns / 1e9;
    cup_time_bins_widen(bins, bins->log_bin_s);
    bins->too_wide = bins->bin_s > fine_s && bins->bin_s > bins->run_s / 4;
    return processes;
}

char *cup_series_too_wide_reason(char to[CUP_TOO_WIDE_TEXT], const struct cup_time_bins *bins)
{
    char run[CUP_DURATION_TEXT], bin[CUP_DURATION_TEXT];
    snprintf(to, CUP_TOO_WIDE_TEXT,
             "a worker is much older than the run: its log has rates in bins of %s, and the run "
             "took %s",
             cup_duration_text(bin, bins->log_bin_s), cup_duration_text(run, bins->run_s));
    return to;
}

static uint64_t received(const struct cup_profile *profile, uint32_t task)
{
    return profile->counters ? profile->counters[task][CUP_C_RECV_BYTES] : 0;
}

static uint64_t received_from_servers(const struct cup_profile *profile, uint32_t task)
{
    return profile->counters ? profile->counters[task][CUP_C_SERVER_READ_BYTES] : 0;
}

void cup_received_make(struct cup_time_bins *bins, const struct cup_totals *totals)
{
    const struct cup_profile *profile = totals->profile;
    cup_time_bins_make(bins, totals);
    for (uint32_t i = 0; i < profile->task_count && bins->count; i++)
        if (profile->tasks[i].status != 0)
            cup_time_bins_spread(
                bins, cup_time_bins_second(bins, profile->tasks[i].start_ns),
                cup_time_bins_second(bins, profile->tasks[i].stop_ns),
                (double)(received(profile, i) - received_from_servers(profile, i)));
}

uint64_t cup_delivered(const struct cup_profile *profile, uint32_t task)
{
    return profile->tasks[task].read_bytes + received(profile, task) -
           received_from_servers(profile, task);
}

const char *cup_no_accesses_reason(const struct cup_profile *profile)
{
    return cup_profile_measured(profile, CUP_FEATURE_ACCESS)
               ? "no read has a recorded offset and time"
               : "these logs are of an older library, which did not record where in files it read";
}

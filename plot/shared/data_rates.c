#include "analysis/log/log_reader.h"
#include "plot/shared/rates.h"

static void add_series(struct cup_time_bins *bins, const struct cup_process *process,
                       const struct cup_series *series, enum cup_series_row row)
{
    double start_s = cup_time_bins_second(bins, process->header.log_start_ns);
    double bin_s = (double)series->bin_ns / 1e9;
    for (int bin = 0; bin < CUP_SERIES_BINS; bin++)
        cup_time_bins_spread(bins, start_s + bin * bin_s, start_s + (bin + 1) * bin_s,
                             (double)series->values[row][bin]);
}

/* A log that cannot be opened any more is skipped: the profile itself is loaded already. */
size_t cup_series_make(struct cup_time_bins *bins, const struct cup_totals *totals,
                       enum cup_series_row row)
{
    const struct cup_profile *profile = totals->profile;
    size_t processes = 0;
    cup_time_bins_make(bins, totals);
    for (size_t i = 0; i < profile->process_count && bins->count; i++) {
        struct cup_log log;
        struct cup_series series;
        struct cup_error error;
        if (!cup_process_is_worker(&profile->processes[i]) ||
            cup_log_open(&log, profile->processes[i].log_path, &error) != 0)
            continue;
        if (cup_log_series(&log, &series) == 0) {
            add_series(bins, &profile->processes[i], &series, row);
            processes++;
        }
        cup_log_close(&log);
    }
    return processes;
}

static uint64_t received(const struct cup_profile *profile, uint32_t task)
{
    return profile->counters ? profile->counters[task][CUP_C_RECV_BYTES] : 0;
}

void cup_received_make(struct cup_time_bins *bins, const struct cup_totals *totals)
{
    const struct cup_profile *profile = totals->profile;
    cup_time_bins_make(bins, totals);
    for (uint32_t i = 0; i < profile->task_count && bins->count; i++)
        if (profile->tasks[i].status != 0)
            cup_time_bins_spread(bins, cup_time_bins_second(bins, profile->tasks[i].start_ns),
                                 cup_time_bins_second(bins, profile->tasks[i].stop_ns),
                                 (double)received(profile, i));
}

uint64_t cup_delivered(const struct cup_profile *profile, uint32_t task)
{
    return profile->tasks[task].read_bytes + received(profile, task);
}

const char *cup_no_accesses_reason(const struct cup_profile *profile)
{
    return cup_profile_measured(profile, CUP_FEATURE_ACCESS)
               ? "no read has a recorded offset and time"
               : "these logs are of an older library, which did not record where in files it read";
}

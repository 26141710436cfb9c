/* How much a figure changes between runs of the same job, as far as one run shows it. */
#include "analysis/compare/compare.h"

/* Figures made from the times of many chunks: the spread of these times says how well they are
 * known. */
static const struct estimate {
    enum cup_metric_id metric;
    bool cpu; /* from the chunks' CPU times; else from their times per event */
} estimates[] = {
    {CUP_METRIC_wall_time, false},
    {CUP_METRIC_process_s, false},
    {CUP_METRIC_total_cpu_time, false},
    {CUP_METRIC_total_task_time, false},
    {CUP_METRIC_requested_rate_gbps, false},
    {CUP_METRIC_requested_rate_mbs, false},
    {CUP_METRIC_requested_rate_process_gbps, false},
    {CUP_METRIC_requested_rate_process_mbs, false},
    {CUP_METRIC_file_rate_gbps, false},
    {CUP_METRIC_file_rate_process_gbps, false},
    {CUP_METRIC_event_rate_wall_khz, false},
    {CUP_METRIC_event_rate_agg_khz, false},
    {CUP_METRIC_event_rate_core_hz, false},
    {CUP_METRIC_threads_s, false},
    {CUP_METRIC_scaling_efficiency, false},
    {CUP_METRIC_total_thread_cpu_time, true},
    {CUP_METRIC_event_rate_agg_thread_cpu_khz, true},
    {CUP_METRIC_thread_cpu_efficiency, true},
    {CUP_METRIC_task_cpu_s, true},
    {CUP_METRIC_processor_cpu_time_seconds, true},
};

static double chunk_figure(const struct cup_figures *figures, const char *name)
{
    const struct cup_run_figure *figure = cup_figures_find_named(figures, "chunks", name);
    return figure ? cup_number(figure->value) : NAN;
}

/* Two standard errors of a mean over the chunks, divided by the mean. */
static double chunk_noise(const struct cup_figures *figures, bool cpu)
{
    double chunks = cup_figures_number(figures, CUP_METRIC_num_chunks);
    double mean = chunk_figure(figures, cpu ? "cpu_s_mean" : "time_per_event_s_mean");
    double deviation = chunk_figure(figures, cpu ? "cpu_s_stdev" : "time_per_event_s_stdev");
    return chunks >= CUP_NOISE_CHUNKS && mean > 0 ? 2 * deviation / mean / sqrt(chunks - 1) : NAN;
}

static bool is_metric(const struct cup_run_figure *figure, enum cup_metric_id metric)
{
    return !*figure->row && strcmp(figure->name, cup_metric(metric)->name) == 0 &&
           strcmp(figure->section, cup_metric_section(metric)->name) == 0;
}

double cup_figure_noise(const struct cup_figures *figures, const struct cup_run_figure *figure)
{
    if (strcmp(figure->section, "chunks") == 0)
        return strcmp(figure->name, "time_per_event_s_mean") == 0 ? chunk_noise(figures, false)
                                                                  : NAN;
    for (size_t i = 0; i < sizeof estimates / sizeof *estimates; i++)
        if (is_metric(figure, estimates[i].metric))
            return chunk_noise(figures, estimates[i].cpu);
    bool counted = figure->unit == CUP_UNIT_COUNT || figure->unit == CUP_UNIT_BYTES ||
                   figure->unit == CUP_UNIT_RATIO;
    return counted && !is_metric(figure, CUP_METRIC_peak_memory_bytes) ? 0 : NAN;
}

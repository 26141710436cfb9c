/* How much a figure changes between runs of the same job: as far as one run shows it by its chunks,
 * and as several runs of each side show it. */
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
    bool sampled =
        strcmp(figure->section, cup_metric_section(CUP_METRIC_peak_memory_bytes)->name) == 0;
    /* How much Dask moves, and what failures waste, varies from run to run by chance. */
    bool varies = strcmp(figure->section, "fine") == 0 || strncmp(figure->name, "wasted_", 7) == 0;
    return counted && !sampled && !varies ? 0 : NAN;
}

/* ---- several runs a side ---------------------------------------------------------------- */

/* Student's t: 97.5 % of all values are less, so that 95 % lie between -t and t. [i]: for i + 1
 * degrees of freedom; two sides of CUP_COMPARE_MOST runs in total have no more. */
static const double students_t[] = {
    12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201, 2.179,
    2.160,  2.145, 2.131, 2.120, 2.110, 2.101, 2.093, 2.086, 2.080, 2.074, 2.069, 2.064,
};
enum { DEGREES = sizeof students_t / sizeof *students_t };

/* The variance of the mean over the runs. */
static double variance_of_mean(const struct cup_figures *side, const struct cup_run_figure *figure)
{
    return figure->deviation * figure->deviation / (double)side->run_count;
}

/* Welch's t-test: the difference that two sides of the same job stay below in 19 of 20 comparisons.
 * The degrees of freedom are rounded down. */
static double welch_noise(const struct cup_figures *a, const struct cup_run_figure *of_a,
                          const struct cup_figures *b, const struct cup_run_figure *of_b)
{
    double va = variance_of_mean(a, of_a), vb = variance_of_mean(b, of_b), sum = va + vb;
    if (sum == 0 || isnan(sum))
        return sum;
    double degrees =
        sum * sum / (va * va / (double)(a->run_count - 1) + vb * vb / (double)(b->run_count - 1));
    size_t index = degrees < 1 ? 0 : (size_t)(degrees + 1e-9) - 1;
    return students_t[index < DEGREES ? index : DEGREES - 1] * sqrt(sum);
}

bool cup_has_several_runs(const struct cup_comparison *comparison, size_t input)
{
    return comparison->inputs[input].run_count > 1 &&
           comparison->inputs[comparison->baseline].run_count > 1;
}

double cup_change_noise(const struct cup_comparison *comparison, const struct cup_compared *row,
                        size_t input)
{
    const struct cup_figures *a = &comparison->inputs[comparison->baseline],
                             *b = &comparison->inputs[input];
    const struct cup_run_figure *of_a = row->figures[comparison->baseline],
                                *of_b = row->figures[input];
    if (cup_has_several_runs(comparison, input))
        return welch_noise(a, of_a, b, of_b);
    return hypot(cup_number(of_a->value) * cup_figure_noise(a, of_a),
                 cup_number(of_b->value) * cup_figure_noise(b, of_b));
}

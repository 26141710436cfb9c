/* The quantiles of task times, by prefix: exact, unless a merge summed up tasks. */
#include <stdlib.h>

#include "analysis/metrics/sums/sums.h"

static const double shares[CUP_TASK_QUANTILES] = {0.5, 0.9, 0.99};

/* Puts the times of ended tasks into `times`, prefix by prefix. On return ends[p] is where those of
 * prefix p end and those of the next one begin; it is all 0 before. */
static void group_times(const struct cup_profile *profile, double *times, size_t *ends)
{
    size_t before = 0;
    for (size_t i = 0; i < profile->task_count; i++)
        if (profile->tasks[i].status != 0)
            ends[cup_task_prefix(profile, &profile->tasks[i])]++;
    for (size_t p = 0; p < profile->prefix_count; p++) {
        size_t count = ends[p];
        ends[p] = before;
        before += count;
    }
    for (size_t i = 0; i < profile->task_count; i++)
        if (profile->tasks[i].status != 0)
            times[ends[cup_task_prefix(profile, &profile->tasks[i])]++] =
                (double)cup_task_wall_ns(&profile->tasks[i]) / 1e9;
}

/* With summed tasks: from the histograms, which have all tasks. The error is up to 20 %. */
static void estimate_quantiles(struct cup_totals *totals)
{
    const struct cup_profile *profile = totals->profile;
    for (size_t p = 0; p < profile->prefix_count; p++)
        for (int i = 0; i < CUP_TASK_QUANTILES; i++) {
            const struct cup_durations durations =
                cup_prefix_durations(&profile->prefixes[p], CUP_DURATION_TASK);
            totals->task_quantiles[p][i] = cup_durations_quantile_ns(&durations, shares[i]) / 1e9;
        }
}

int cup_task_quantiles_make(struct cup_totals *totals)
{
    const struct cup_profile *profile = totals->profile;
    double *times = malloc((profile->task_count + 1) * sizeof *times);
    size_t *ends = calloc(profile->prefix_count + 1, sizeof *ends);
    totals->task_quantiles = calloc(profile->prefix_count + 1, sizeof *totals->task_quantiles);
    int result = times && ends && totals->task_quantiles ? 0 : -1;
    if (result == 0)
        group_times(profile, times, ends);
    for (size_t p = 0, first = 0; result == 0 && p < profile->prefix_count; first = ends[p++])
        for (int i = 0; i < CUP_TASK_QUANTILES; i++)
            totals->task_quantiles[p][i] = cup_quantile(times + first, ends[p] - first, shares[i]);
    if (result == 0 && profile->tasks_summed)
        estimate_quantiles(totals);
    free(times);
    free(ends);
    return result;
}

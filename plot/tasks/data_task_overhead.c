#include <math.h>
#include <stdlib.h>

#include "plot/shared/plot.h"
#include "plot/shared/rows.h"

/* The activities of Dask's fine metrics that each kind of bar sums up; CUP_FINE_COUNT: none. */
static const enum cup_fine_activity parts[][2] = {
    {CUP_FINE_NETWORK, CUP_FINE_COUNT},
    {CUP_FINE_SERIALIZE, CUP_FINE_DESERIALIZE},
    {CUP_FINE_COMPRESS, CUP_FINE_DECOMPRESS},
    {CUP_FINE_EXECUTOR, CUP_FINE_OTHER},
};
static const struct cup_bar_kind kinds[] = {
    {"waits for transfers", CUP_PAINT_BLUE},
    {"(de)serialising", CUP_PAINT_ORANGE},
    {"(de)compressing", CUP_PAINT_PINK},
    {"event loop around tasks, other", CUP_PAINT_GREY},
};
enum { PARTS = sizeof parts / sizeof *parts };

/* Sums in seconds; activities that Dask did not report count as 0. */
static double seconds_of(const struct cup_fine_sums *sums, const enum cup_fine_activity of[2])
{
    double seconds = fmax(0, sums->tasks[of[0]]);
    return of[1] < CUP_FINE_COUNT ? seconds + fmax(0, sums->tasks[of[1]]) : seconds;
}

static void add_prefix(struct cup_rows *plot, const struct cup_totals *totals, uint32_t prefix)
{
    const struct cup_fine_sums *sums = &totals->fine->prefixes[prefix].dask;
    uint64_t tasks = totals->prefixes[prefix].tasks;
    double whole = 0;
    for (int i = 0; i < PARTS; i++)
        whole += seconds_of(sums, parts[i]);
    if (tasks == 0 || whole <= 0)
        return;
    struct cup_row *row = cup_rows_add(
        plot, cup_profile_text(totals->profile, totals->profile->prefixes[prefix].name), 0, 0);
    if (!row)
        return;
    for (int i = 0; i < PARTS; i++)
        row->parts[i] = seconds_of(sums, parts[i]) / (double)tasks;
    char time[CUP_DURATION_TEXT], counted[64];
    snprintf(row->text, sizeof row->text, "%s, %s", cup_duration_text(time, whole / (double)tasks),
             cup_count_text(counted, tasks, "task"));
}

static const void *explain_missing(struct cup_plot_input *input)
{
    return cup_plot_unavailable(
        input, "%s",
        input->totals->fine->mixed
            ? "Dask's sums include other tasks of the same span, so they cannot be split"
            : "no worker recorded Dask's fine metrics for these tasks");
}

const void *cup_data_task_overhead(struct cup_plot_input *input)
{
    const struct cup_totals *totals = input->totals;
    struct cup_rows *plot = cup_rows_make(input->arena, kinds, PARTS, "prefixes",
                                          "overhead of a task", CUP_AXIS_SECONDS);
    size_t count = 0;
    uint32_t *prefixes = plot ? cup_prefixes_by_time(totals, &count) : NULL;
    if (!prefixes)
        return NULL;
    for (size_t i = 0; i < count && !totals->fine->mixed; i++)
        if (prefixes[i] < totals->fine->prefix_count)
            add_prefix(plot, totals, prefixes[i]);
    free(prefixes);
    if (plot->count == 0)
        return explain_missing(input);
    char workers[64];
    cup_plot_set_caption(input,
                         "Time around the tasks by Dask's fine metrics, divided by the number of "
                         "tasks in the run. Sums of %s, %ssince it started (Dask).",
                         cup_count_text(workers, totals->fine->worker_count, "worker"),
                         totals->fine->worker_count == 1 ? "" : "each ");
    return plot;
}

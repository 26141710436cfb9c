#include <math.h>
#include <string.h>

#include "analysis/metrics/metrics.h"
#include "plot/shared/plot.h"
#include "plot/shared/rows.h"

static const struct row {
    enum cup_metric_id metric;
    const char *name;
    size_t kind;  /* index in `kinds` */
    double times; /* percent = value * times */
} shown[] = {
    {CUP_METRIC_core_efficiency, "threads in process()", 0, 100},
    {CUP_METRIC_executing_utilization_pct, "threads with a task", 0, 1},
    {CUP_METRIC_thread_cpu_efficiency, "CPU of tasks / threads", 0, 100},
    {CUP_METRIC_real_cpu_utilization_pct, "CPU of workers / threads", 0, 1},
    {CUP_METRIC_io_wait_pct, "I/O wait / task time", 1, 1},
    {CUP_METRIC_memory_utilization_pct, "memory / its limit", 2, 1},
};

static const struct cup_bar_kind kinds[] = {
    {"use of threads", CUP_PAINT_GREEN},
    {"waiting or wasted", CUP_PAINT_ORANGE},
    {"memory", CUP_PAINT_BLUE},
};

/* The share of task time whose result was not used. */
static double wasted_percent(const struct cup_totals *totals)
{
    double wasted_ns = (double)cup_waste_sum(totals->waste).wall_ns;
    double all_ns = (double)totals->all.wall_ns + (double)totals->waste->killed.wall_ns;
    return all_ns > 0 ? 100 * wasted_ns / all_ns : NAN;
}

/* Adds a row, unless the figure is unknown. Returns how many figures were unknown: 1 or 0. */
static size_t add_figure(struct cup_rows *plot, const char *name, size_t kind, double percent)
{
    if (isnan(percent))
        return 1;
    struct cup_row *row = cup_rows_add(plot, (struct cup_text){name, strlen(name)}, kind, percent);
    if (row)
        snprintf(row->text, sizeof row->text, "%.1f %%", percent);
    plot->whole = fmax(plot->whole, percent);
    return 0;
}

const void *cup_data_efficiency_summary(struct cup_plot_input *input)
{
    const struct cup_totals *totals = input->totals;
    struct cup_rows *plot = cup_rows_make(input->arena, kinds, sizeof kinds / sizeof *kinds,
                                          "figures", "share", CUP_AXIS_PERCENT);
    size_t unknown = 0, all = sizeof shown / sizeof *shown + 1;
    char left_out[80] = "";
    if (!plot)
        return NULL;
    plot->whole = 100;
    for (size_t i = 0; i + 1 < all; i++) {
        const struct row *row = &shown[i];
        struct cup_value value = cup_metric_value(row->metric, totals);
        unknown += add_figure(plot, row->name, row->kind, cup_number(value) * row->times);
    }
    unknown += add_figure(plot, "wasted task time", 1, wasted_percent(totals));
    if (plot->count == 0)
        return cup_plot_unavailable(input, "threads and time are not known for any worker");
    if (unknown)
        snprintf(left_out, sizeof left_out, " Unknown and left out: %zu of %zu figures.", unknown,
                 all);
    cup_plot_set_caption(input,
                         "Means over the run. CPU of tasks: helper threads included (cupping). "
                         "Threads in process(): as timed by Coffea, waits included (Coffea). "
                         "%s%s",
                         cup_profile_is_without_dask(totals->profile) ? ""
                         : cup_tasks_known(totals)
                             ? "Memory and CPU of workers: samples (Dask)."
                             : "Memory, CPU of workers, threads with a task: samples (Dask).",
                         left_out);
    return plot;
}

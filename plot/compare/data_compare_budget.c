#include <stdio.h>

#include "plot/shared/plot.h"
#include "plot/shared/rows.h"
#include "plot/shared/runs.h"

/* Paints as in the budget of one run (time_budget.c); its small parts are put together. */
enum { CPU, IO, GIL, LOCKS, NO_CORE, OTHERS, DASK, IDLE };
static const struct cup_bar_kind kinds[] = {
    [CPU] = {"CPU in tasks", CUP_PAINT_GREEN},
    [IO] = {"I/O", CUP_PAINT_SKY},
    [GIL] = {"GIL", CUP_PAINT_RED},
    [LOCKS] = {"locks", CUP_PAINT_PINK},
    [NO_CORE] = {"no core", CUP_PAINT_YELLOW},
    [OTHERS] = {"other in tasks", CUP_PAINT_ORANGE},
    [DASK] = {"between tasks", CUP_PAINT_BLUE},
    [IDLE] = {"idle", CUP_PAINT_GREY},
};

static const struct {
    enum cup_metric_id metric;
    int kind;
} parts[] = {
    {CUP_METRIC_task_cpu_s, CPU},
    {CUP_METRIC_BUDGET_IO, IO},
    {CUP_METRIC_BUDGET_GIL, GIL},
    {CUP_METRIC_BUDGET_LOCK, LOCKS},
    {CUP_METRIC_BUDGET_SLEEP, OTHERS},
    {CUP_METRIC_BUDGET_POLL, OTHERS},
    {CUP_METRIC_BUDGET_RUN_DELAY, NO_CORE},
    {CUP_METRIC_BUDGET_FAULT, OTHERS},
    {CUP_METRIC_BUDGET_OTHER, OTHERS},
    {CUP_METRIC_other_task_s, OTHERS},
    {CUP_METRIC_idle_s, IDLE},
    {CUP_METRIC_unfinished_task_s, OTHERS},
    {CUP_METRIC_dask_between_tasks_s, DASK},
};

/* Sums up the seconds of each kind. Returns the seconds of all kinds; 0 if it is not known which
 * part of the time was idle. */
static double sum_seconds(const struct cup_figures *figures, double seconds[CUP_BAR_KINDS])
{
    double sum = 0;
    if (cup_figures_number(figures, CUP_METRIC_threads_s) > 0 &&
        isnan(cup_figures_number(figures, CUP_METRIC_idle_s)))
        return 0;
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        double part = cup_figures_number(figures, parts[i].metric);
        if (!(part > 0))
            continue;
        seconds[parts[i].kind] += part;
        sum += part;
    }
    return sum;
}

/* Parts of a whole must be of one run: medians would not add up. Of a side it is the run with the
 * median wall time; of an even number, the slower of the two in the middle. */
static const struct cup_figures *typical_run(const struct cup_figures *input)
{
    for (size_t i = 0; i < input->run_count; i++) {
        double wall = cup_figures_number(&input->runs[i], CUP_METRIC_wall_time);
        size_t faster = 0, equal = 0;
        for (size_t k = 0; k < input->run_count; k++) {
            double other = cup_figures_number(&input->runs[k], CUP_METRIC_wall_time);
            faster += other < wall;
            equal += other == wall;
        }
        if (faster <= input->run_count / 2 && faster + equal > input->run_count / 2)
            return &input->runs[i];
    }
    return input->run_count ? &input->runs[0] : input;
}

/* Adds a run, in seconds if the runs did the same work, so that saved time is visible; else in
 * shares. Returns false if its budget is not known. */
static bool add_run(struct cup_rows *plot, const struct cup_plot_runs *runs, size_t input)
{
    double seconds[CUP_BAR_KINDS] = {0},
           sum = sum_seconds(typical_run(&runs->comparison->inputs[input]), seconds);
    struct cup_row *row = sum > 0 ? cup_rows_add(plot, runs->names[input], CPU, 0) : NULL;
    char time[CUP_DURATION_TEXT];
    if (!row)
        return false;
    for (size_t i = 0; i < plot->kind_count; i++)
        row->parts[i] = plot->whole > 0 ? 100 * seconds[i] / sum : seconds[i];
    if (plot->whole > 0)
        return true;
    cup_duration_text(time, sum);
    if (seconds[CPU] > 0)
        snprintf(row->text, sizeof row->text, "%s, CPU %.0f %%", time, 100 * seconds[CPU] / sum);
    else
        snprintf(row->text, sizeof row->text, "%s", time);
    return true;
}

const void *cup_data_compare_budget(struct cup_plot_input *input)
{
    const struct cup_comparison *comparison = input->runs->comparison;
    bool same = comparison->same_work;
    struct cup_rows *plot =
        cup_rows_make(input->arena, kinds, sizeof kinds / sizeof *kinds, "runs",
                      same ? "time of the worker threads" : "share of the worker threads' time",
                      same ? CUP_AXIS_ELAPSED : CUP_AXIS_PERCENT);
    bool missing[CUP_COMPARE_MOST] = {false}, sides = false;
    if (!plot)
        return NULL;
    plot->whole = same ? 0 : 100;
    plot->room = 0.4;
    for (size_t i = 0; i < comparison->input_count; i++) {
        missing[i] = !add_run(plot, input->runs, i);
        sides |= comparison->inputs[i].run_count > 0;
    }
    if (plot->count < 2)
        return cup_plot_unavailable(input, "fewer than two runs have a known time budget");
    cup_plot_set_caption(
        input,
        "Wall time of the workers' threads, summed; the parts add up to all of it (cupping).%s%s",
        comparison->same_work ? "" : " Shares, because the runs did different work.",
        sides ? " Of several runs a side, the one with the median wall time." : "");
    cup_caption_add_missing(input, missing);
    return plot;
}

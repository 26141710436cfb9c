#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "analysis/base/units.h"
#include "plot/figure/figure.h"
#include "plot/figure/marks.h"
#include "plot/shared/plot.h"
#include "plot/tasks/task_plots.h"

const struct cup_bar_kind cup_shown_parts[CUP_SHOWN_COUNT] = {
    [CUP_SHOWN_CPU] = {"CPU", CUP_PAINT_GREEN},
    [CUP_SHOWN_IO] = {"I/O", CUP_PAINT_SKY},
    [CUP_SHOWN_GIL] = {"GIL", CUP_PAINT_RED},
    [CUP_SHOWN_NO_CORE] = {"no core", CUP_PAINT_YELLOW},
    [CUP_SHOWN_REST] = {"locks, other", CUP_PAINT_GREY},
};

static void add_row(struct cup_prefix_times *plot, const struct cup_profile *profile,
                    const struct cup_prefix *prefix)
{
    const struct cup_wait_sums *waits = &prefix->waits;
    double *parts = plot->rows[plot->count].parts, waited = 0;
    for (int i = 0; i < CUP_WAITED_COUNT; i++)
        waited += (double)waits->ns[i] / 1e9;
    parts[CUP_SHOWN_CPU] = (double)(waits->cpu_ns + waits->unmeasured_cpu_ns) / 1e9;
    parts[CUP_SHOWN_IO] = (double)waits->ns[CUP_WAITED_IO] / 1e9;
    parts[CUP_SHOWN_GIL] = (double)waits->ns[CUP_WAITED_GIL] / 1e9;
    parts[CUP_SHOWN_NO_CORE] = (double)waits->ns[CUP_WAITED_RUN_DELAY] / 1e9;
    parts[CUP_SHOWN_REST] =
        waited - parts[CUP_SHOWN_IO] - parts[CUP_SHOWN_GIL] - parts[CUP_SHOWN_NO_CORE];
    plot->rows[plot->count].unexplained = (double)waits->unmeasured_noncpu_ns / 1e9;
    plot->rows[plot->count].whole =
        parts[CUP_SHOWN_CPU] + waited + (double)waits->unmeasured_noncpu_ns / 1e9;
    plot->rows[plot->count].tasks = waits->tasks + waits->unmeasured_tasks;
    plot->longest = fmax(plot->longest, plot->rows[plot->count].whole);
    plot->names[plot->count++] = cup_profile_text(profile, prefix->name);
}

const void *cup_data_task_cpu(struct cup_plot_input *input)
{
    const struct cup_profile *profile = input->totals->profile;
    struct cup_prefix_times *plot = cup_arena_take(input->arena, 1, sizeof *plot);
    size_t count = 0;
    uint32_t *prefixes = plot ? cup_prefixes_by_time(input->totals, &count) : NULL;
    if (!prefixes)
        return NULL;
    for (size_t i = 0; i < count && plot->count < CUP_PREFIXES_SHOWN; i++)
        if (profile->prefixes[prefixes[i]].waits.tasks ||
            profile->prefixes[prefixes[i]].waits.unmeasured_tasks)
            add_row(plot, profile, &profile->prefixes[prefixes[i]]);
    free(prefixes);
    if (plot->count == 0)
        return cup_plot_unavailable(input, "the CPU time is not known for any ended task");
    cup_plot_set_caption(
        input,
        "Time of all ended tasks by the prefix of their keys, %sthe most time "
        "first. Helper threads are left out (cupping).",
        count > plot->count ? CUP_FORMAT("the largest %zu of %zu, ", plot->count, count) : "");
    return plot;
}

/* ---- drawing -------------------------------------------------------------------------------- */

static void draw_row(struct cup_figure *figure, const struct cup_prefix_times *plot, size_t row)
{
    double at = 0;
    char text[96];
    for (int i = 0; i < CUP_SHOWN_COUNT; i++) {
        double to = at + plot->rows[row].parts[i];
        cup_mark_bar(figure, row, 0, 1, at, to, figure->theme->paints[cup_shown_parts[i].paint]);
        at = to;
    }
    cup_mark_bar(figure, row, 0, 1, at, plot->rows[row].whole, figure->theme->grid);
    snprintf(text, sizeof text, "%.0f %% CPU, %.40s task%s",
             100 * plot->rows[row].parts[CUP_SHOWN_CPU] / plot->rows[row].whole,
             CUP_SHOW_VALUE(cup_count(plot->rows[row].tasks), CUP_UNIT_COUNT),
             plot->rows[row].tasks == 1 ? "" : "s");
    if (cup_bar_text_fits(figure, plot->rows[row].whole, text))
        cup_mark_bar_text(figure, row, 0, plot->rows[row].whole, text);
}

void cup_chart_task_cpu(struct cup_figure *figure, const void *data)
{
    const struct cup_prefix_times *plot = data;
    bool unexplained = false;
    figure->x = (struct cup_axis){.name = "time of all tasks",
                                  .unit = CUP_AXIS_ELAPSED,
                                  .amounts = true,
                                  .high = plot->longest * 1.25};
    figure->y = cup_axis_names("tasks", plot->names, plot->count);
    for (size_t i = 0; i < plot->count; i++)
        unexplained |= plot->rows[i].unexplained > 0;
    for (int i = 0; i < CUP_SHOWN_COUNT; i++)
        cup_figure_add_key(figure, CUP_KEY_BOX, figure->theme->paints[cup_shown_parts[i].paint],
                           "%s", cup_shown_parts[i].name);
    if (unexplained)
        cup_figure_add_key(figure, CUP_KEY_BOX, figure->theme->grid, "unexplained");
    cup_figure_open(figure);
    for (size_t i = 0; i < plot->count; i++)
        draw_row(figure, plot, i);
    cup_figure_close(figure);
}

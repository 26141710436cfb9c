#include <string.h>

#include "analysis/base/units.h"
#include "plot/shared/plot.h"
#include "plot/shared/rows.h"

static const struct cup_bar_kind kinds[] = {{NULL, CUP_PAINT_RED},
                                            {NULL, CUP_PAINT_ORANGE},
                                            {NULL, CUP_PAINT_YELLOW},
                                            {NULL, CUP_PAINT_GREY}};

static void add_reason(struct cup_rows *plot, const char *name, size_t kind,
                       const struct cup_waste *waste)
{
    char time[CUP_DURATION_TEXT], tasks[64];
    if (waste->tasks == 0)
        return;
    double seconds = (double)waste->wall_ns / 1e9;
    struct cup_row *row = cup_rows_add(plot, (struct cup_text){name, strlen(name)}, kind, seconds);
    if (row)
        snprintf(row->text, sizeof row->text, "%s, %s, %s read", cup_duration_text(time, seconds),
                 cup_count_text(tasks, waste->tasks, "task"),
                 waste->bytes_unknown ? "n/a" : CUP_SHOW_BYTES(waste->read_bytes));
}

const void *cup_data_wasted_work(struct cup_plot_input *input)
{
    const struct cup_totals *totals = input->totals;
    const struct cup_waste_reasons *waste = totals->waste;
    struct cup_rows *plot = cup_rows_make(input->arena, kinds, sizeof kinds / sizeof *kinds,
                                          "reasons", "time of tasks", CUP_AXIS_ELAPSED);
    if (!plot)
        return NULL;
    add_reason(plot, "failed", 0, &waste->failed);
    add_reason(plot, "never ended: killed", 1, &waste->killed);
    add_reason(plot, "run again: result lost with its worker", 2, &waste->lost);
    add_reason(plot, "run again: its worker was still there", 3, &waste->retried);
    if (plot->count == 0)
        return cup_plot_unavailable(
            input, "no work was wasted: the result of every recorded task was used");
    const struct cup_waste sum = cup_waste_sum(waste);
    double whole_ns = (double)totals->all.wall_ns + (double)waste->killed.wall_ns;
    char tasks[64], time[CUP_DURATION_TEXT], cpu[CUP_DURATION_TEXT];
    cup_plot_set_caption(input,
                         "%s: %s, %.3g %% of the time of all tasks, and %s of CPU time. The time "
                         "of tasks that never ended is counted until the last record of their "
                         "process; their CPU time is not known (cupping).",
                         cup_count_text(tasks, sum.tasks, "task"),
                         cup_duration_text(time, (double)sum.wall_ns / 1e9),
                         whole_ns > 0 ? 100 * (double)sum.wall_ns / whole_ns : 0,
                         cup_duration_text(cpu, (double)sum.cpu_ns / 1e9));
    return plot;
}

#include <math.h>
#include <string.h>

#include "analysis/base/units.h"
#include "plot/shared/busy.h"
#include "plot/shared/curves.h"
#include "plot/shared/plot.h"
#include "plot/shared/sampled.h"

static const struct {
    const char *name;
    enum cup_paint paint;
    const struct cup_quantity *quantity;
} shown[] = {
    {"threads with a task", CUP_PAINT_GREEN, &cup_busy_share},
    {"CPU / threads", CUP_PAINT_ORANGE, &cup_cpu_share},
    {"memory / its limit", CUP_PAINT_BLUE, &cup_memory_share},
};

/* The threads with a task by the times of the tasks; NULL: not known, or without memory. */
static const struct cup_sampled *make_exact(struct cup_plot_input *input)
{
    struct cup_sampled *line = cup_arena_take(input->arena, 1, sizeof *line);
    const struct cup_busy *busy = cup_busy_make(input);
    if (!line || !busy)
        return NULL;
    const struct cup_time_bins *bins = &busy->tasks;
    line->count = bins->count;
    line->seconds = bins->run_s;
    for (size_t i = 0; i < bins->count; i++) {
        line->time_s[i] = cup_time_bins_middle(bins, i);
        line->middle[i] = cup_busy_percent(busy, i, (double)input->totals->budget.threads);
    }
    return line;
}

static const struct cup_sampled *make_line(struct cup_plot_input *input,
                                           const struct cup_quantity *quantity)
{
    const struct cup_sampled *exact = quantity == &cup_busy_share ? make_exact(input) : NULL;
    return exact ? exact : cup_sampled_make(input, quantity, false);
}

/* If none of the lines can be made, the reason of the last one is given. */
const void *cup_data_resource_utilization(struct cup_plot_input *input)
{
    struct cup_curves *plot = cup_arena_take(input->arena, 1, sizeof *plot);
    char reason[sizeof input->reason] = "";
    double bin_s = 0;
    if (!plot)
        return NULL;
    for (size_t i = 0; i < sizeof shown / sizeof *shown; i++) {
        input->reason[0] = '\0';
        const struct cup_sampled *line = make_line(input, shown[i].quantity);
        if (!line && !input->reason[0])
            return NULL;
        if (!line) {
            memcpy(reason, input->reason, sizeof reason);
            continue;
        }
        plot->seconds = line->seconds;
        bin_s = fmax(bin_s, line->count > 1 ? line->time_s[1] - line->time_s[0] : line->seconds);
        cup_curves_add(plot, (struct cup_curve){.name = shown[i].name,
                                                .paint = shown[i].paint,
                                                .time_s = line->time_s,
                                                .values = line->middle,
                                                .count = line->count});
    }
    if (plot->count == 0)
        return cup_plot_unavailable(input, "%s", reason);
    bool exact = cup_tasks_known(input->totals);
    plot->name = "mean of the workers";
    plot->unit = CUP_AXIS_PERCENT;
    plot->whole = true;
    cup_plot_set_caption(
        input, "%s%s", exact ? "Threads with a task: by the times of the tasks (cupping). " : "",
        exact && plot->count == 1
            ? "There are no samples of CPU and memory."
            : CUP_FORMAT("Each %sline: mean of the workers that report it, samples in bins of %.3g "
                         "s (Dask).",
                         exact ? "other " : "", bin_s));
    return plot;
}

#include <string.h>

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
        const struct cup_sampled *line = cup_sampled_make(input, shown[i].quantity, false);
        if (!line && !input->reason[0])
            return NULL;
        if (!line) {
            memcpy(reason, input->reason, sizeof reason);
            continue;
        }
        plot->seconds = line->seconds;
        bin_s = line->count > 1 ? line->time_s[1] - line->time_s[0] : line->seconds;
        cup_curves_add(plot, (struct cup_curve){.name = shown[i].name,
                                                .paint = shown[i].paint,
                                                .time_s = line->time_s,
                                                .values = line->middle,
                                                .count = line->count});
    }
    if (plot->count == 0)
        return cup_plot_unavailable(input, "%s", reason);
    plot->name = "mean of the workers";
    plot->unit = CUP_AXIS_PERCENT;
    plot->whole = true;
    cup_plot_set_caption(
        input, "Each line: mean of the workers that report it. Samples in bins of %.3g s (Dask).",
        bin_s);
    return plot;
}

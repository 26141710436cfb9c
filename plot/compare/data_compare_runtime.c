#include <math.h>

#include "plot/compare/compared_runtime.h"
#include "plot/shared/plot.h"
#include "plot/shared/runs.h"

static size_t count_known(const struct cup_comparison *comparison, enum cup_chunk_time time)
{
    size_t count = 0;
    for (size_t i = 0; i < comparison->input_count; i++)
        count += comparison->inputs[i].chunks[time].count > 0;
    return count;
}

static void add_run(struct cup_compared_runtime *plot, const struct cup_spread *spread,
                    struct cup_text name)
{
    for (int i = 0; i < CUP_SPREAD_POINTS; i++) {
        if (!(spread->at[i] > 0))
            continue;
        plot->low_s = fmin(plot->low_s, spread->at[i]);
        plot->high_s = fmax(plot->high_s, spread->at[i]);
    }
    plot->spreads[plot->count] = spread;
    plot->names[plot->count++] = name;
}

/* Times inside tasks and inside process() cannot be compared: shows the kind that more of the runs
 * have. */
const void *cup_data_compare_runtime(struct cup_plot_input *input)
{
    const struct cup_comparison *comparison = input->runs->comparison;
    struct cup_compared_runtime *plot = cup_arena_take(input->arena, 1, sizeof *plot);
    bool missing[CUP_COMPARE_MOST] = {false};
    bool task =
        count_known(comparison, CUP_CHUNK_TASK) >= count_known(comparison, CUP_CHUNK_PROCESS);
    if (!plot)
        return NULL;
    plot->name = task ? "wall time of a chunk" : "time of a chunk inside process()";
    plot->low_s = plot->high_s = NAN;
    for (size_t i = 0; i < comparison->input_count; i++) {
        const struct cup_spread *spread =
            &comparison->inputs[i].chunks[task ? CUP_CHUNK_TASK : CUP_CHUNK_PROCESS];
        missing[i] = spread->count == 0;
        if (!missing[i])
            add_run(plot, spread, input->runs->names[i]);
    }
    if (plot->count < 2)
        return cup_plot_unavailable(input, "fewer than two runs have known chunk times");
    cup_plot_set_caption(input,
                         "%s, for chunks whose result was used; %d quantiles of each run (%s). In "
                         "brackets: the median.",
                         task ? "Wall time of the chunks' tasks"
                              : "Time of chunks inside process()",
                         CUP_SPREAD_POINTS, task ? "cupping" : "Coffea");
    cup_caption_add_missing(input, missing);
    return plot;
}

#include <math.h>

#include "plot/shared/chunks.h"
#include "plot/shared/plot.h"
#include "plot/tasks/chunk_runtime.h"

enum { BINS = 60 };

static double select_quantile(double *times, size_t count, double share)
{
    return count ? cup_select(times, count, (size_t)(share * (double)(count - 1) + 0.5)) : NAN;
}

const void *cup_data_chunk_runtime(struct cup_plot_input *input)
{
    struct cup_chunk_points points;
    struct cup_chunk_runtime *runtime = cup_arena_take(input->arena, 1, sizeof *runtime);
    if (!runtime || cup_chunk_points_make(&points, input) != 0)
        return NULL;
    double *times = cup_arena_take(input->arena, points.count, sizeof *times);
    size_t count = 0;
    if (!times)
        return NULL;
    for (size_t i = 0; i < points.count; i++)
        if (points.points[i].wall_s > 0)
            times[count++] = points.points[i].wall_s;
    if (count == 0)
        return cup_plot_unavailable(input, "no chunk has a known time");
    if (cup_bins_make(&runtime->times, input->arena, CUP_BINS_LOG, times, count, BINS) != 0)
        return NULL;
    runtime->median_s = select_quantile(times, count, 0.5);
    runtime->p90_s = select_quantile(times, count, 0.9);
    runtime->p99_s = select_quantile(times, count, 0.99);
    char chunks[64];
    cup_plot_set_caption(
        input,
        "Wall time of %s whose result was used, in bins of equal width on the log axis (cupping).",
        cup_count_text(chunks, count, "chunk"));
    return runtime;
}

#include <math.h>

#include "plot/shared/curves.h"
#include "plot/shared/plot.h"
#include "plot/shared/sampled.h"

/* Counts each task with its peak heap for as long as it ran: an upper bound. Returns how many tasks
 * have one. */
static size_t spread_heaps(struct cup_time_bins *time, const struct cup_profile *profile)
{
    size_t tasks = 0;
    for (size_t i = 0; i < profile->task_count; i++) {
        const struct cup_task *task = &profile->tasks[i];
        double peak = (double)profile->counters[i][CUP_C_PEAK_LIVE_BYTES];
        if (task->status == 0 || !(peak > 0))
            continue;
        cup_time_bins_hold(time, task->start_ns, task->stop_ns, peak);
        tasks++;
    }
    return tasks;
}

/* Stacks the heap of tasks and the rest on top of Dask's results, where those are known. */
static int add_bands(struct cup_curves *plot, struct cup_arena *arena,
                     const struct cup_time_bins *time, const struct cup_sampled *rss,
                     const struct cup_sampled *results)
{
    double *zero = cup_arena_take(arena, rss->count, sizeof *zero);
    double *low = cup_arena_take(arena, rss->count, sizeof *low);
    double *high = cup_arena_take(arena, rss->count, sizeof *high);
    double *rest = cup_arena_take(arena, rss->count, sizeof *rest);
    if (!zero || !low || !high || !rest)
        return -1;
    for (size_t i = 0; i < rss->count; i++) {
        low[i] = results ? results->middle[i] : isnan(rss->middle[i]) ? NAN : 0;
        high[i] = low[i] + time->amounts[i] / time->bin_s;
        rest[i] = fmax(high[i], rss->middle[i]);
    }
    struct cup_curve curve = {
        .kind = CUP_CURVE_BAND, .time_s = rss->time_s, .low = zero, .count = rss->count};
    curve.name = "results that Dask holds";
    curve.paint = CUP_PAINT_ORANGE;
    curve.values = low;
    if (results)
        cup_curves_add(plot, curve);
    curve.name = "heap of tasks, at their peaks";
    curve.paint = CUP_PAINT_GREEN;
    curve.low = low;
    curve.values = high;
    cup_curves_add(plot, curve);
    curve.name = "the rest";
    curve.paint = CUP_PAINT_GREY;
    curve.low = high;
    curve.values = rest;
    cup_curves_add(plot, curve);
    return 0;
}

const void *cup_data_heap_rss(struct cup_plot_input *input)
{
    static const struct cup_quantity rss_of = {"memory", CUP_AXIS_BYTES, .part = CUP_SEEN_MEMORY,
                                               .of = ""};
    static const struct cup_quantity results_of = {"results", CUP_AXIS_BYTES,
                                                   .part = CUP_SEEN_MANAGED, .of = ""};
    const struct cup_profile *profile = input->totals->profile;
    struct cup_curves *plot = cup_arena_take(input->arena, 1, sizeof *plot);
    const struct cup_sampled *rss = plot ? cup_sampled_make(input, &rss_of, true) : NULL;
    struct cup_time_bins time;
    if (!rss)
        return NULL;
    if (!profile->counters ||
        !cup_profile_measured(profile, cup_counter_needs(CUP_C_PEAK_LIVE_BYTES)))
        return cup_plot_unavailable(input, "the heap of tasks was not recorded");
    const struct cup_sampled *results = cup_sampled_make(input, &results_of, true);
    cup_sample_bins_make(&time, input->totals);
    size_t tasks = spread_heaps(&time, profile);
    plot->name = "memory";
    plot->unit = CUP_AXIS_BYTES;
    plot->seconds = rss->seconds;
    if (add_bands(plot, input->arena, &time, rss, results) != 0)
        return NULL;
    cup_curves_add(plot, (struct cup_curve){.name = "resident (RSS)",
                                            .paint = CUP_PAINT_BLUE,
                                            .time_s = rss->time_s,
                                            .values = rss->middle,
                                            .count = rss->count});
    char counted[64];
    cup_plot_set_caption(input,
                         "RSS and results: samples in bins of %.3g s (Dask). Heap of %s, each with "
                         "its peak for as long as it ran: an upper bound (cupping). The rest: "
                         "interpreter, libraries, what earlier tasks left behind (a cache, a "
                         "leak), and freed memory that the allocator keeps.",
                         time.bin_s, cup_count_text(counted, tasks, "task"));
    input->reason[0] = '\0';
    return plot;
}

#include <math.h>

#include "plot/shared/curves.h"
#include "plot/shared/plot.h"

/* Where every worker has one task thread, tasks share the GIL with helper threads only: such runs
 * get no plot. */
static bool has_several_threads(const struct cup_profile *profile)
{
    for (size_t i = 0; i < profile->process_count; i++)
        if (profile->processes[i].task_threads > 1)
            return true;
    return false;
}

/* Adds how many threads waited at the same time, from nanoseconds of waiting. */
static int add_waits(struct cup_curves *plot, struct cup_arena *arena,
                     const struct cup_time_bins *waits, const char *name, enum cup_paint paint,
                     enum cup_curve_kind kind)
{
    struct cup_time_line *line = cup_arena_take(arena, 1, sizeof *line);
    if (!line)
        return -1;
    cup_time_line_make(line, waits);
    for (size_t i = 0; i < line->count; i++)
        line->values[i] /= 1e9;
    cup_curves_add(plot, cup_curve_of(name, paint, kind, line));
    return 0;
}

/* The number of task threads is drawn only if it is less than this many times the most waiting
 * threads: a higher line would squeeze the curves to the bottom. */
#define THREADS_SHOWN_BELOW 4

/* The curves have all threads that waited, the report's shares only the tasks' own threads, as
 * parts of the threads' time: the caption states both. Where bins reach beyond the ends of the run,
 * the curves may have less than the tasks' own threads: then how long others waited is not known.
 */
static void write_caption(struct cup_plot_input *input, size_t processes,
                          const struct cup_time_bins *gil)
{
    const struct cup_totals *totals = input->totals;
    double own_s = (double)totals->budget.ns[CUP_BUDGET_GIL] / 1e9, all_s = gil->whole / 1e9;
    double percent[CUP_BUDGET_COUNT];
    char own[CUP_DURATION_TEXT], other[CUP_DURATION_TEXT] = "a time that is not known";
    cup_budget_percent(&totals->budget, percent);
    if (all_s > 0.999 * own_s)
        cup_duration_text(other, fmax(0, all_s - own_s));
    cup_plot_set_caption(
        input,
        "Mean number of threads that waited at the same time: %zu worker process%s, bins of %.3g "
        "s. The %llu task threads waited for the GIL for %s, %.1f %% of their time; helper threads "
        "and threads without a task for %s. A wait is counted when it ends (cupping).",
        processes, processes == 1 ? "" : "es", gil->bin_s,
        (unsigned long long)totals->budget.threads, cup_duration_text(own, own_s),
        percent[CUP_BUDGET_GIL], other);
}

const void *cup_data_gil_pressure(struct cup_plot_input *input)
{
    const struct cup_totals *totals = input->totals;
    struct cup_curves *plot = cup_arena_take(input->arena, 1, sizeof *plot);
    struct cup_time_bins gil, io;
    char reason[CUP_TOO_WIDE_TEXT];
    double threads = (double)totals->budget.threads;
    if (!plot)
        return NULL;
    if (!cup_profile_measured(totals->profile, CUP_FEATURE_GIL))
        return cup_plot_unavailable(input,
                                    "the library could not distinguish the GIL from other locks");
    if (!has_several_threads(totals->profile))
        return cup_plot_unavailable(input, "no worker has more than one task thread");
    size_t processes = cup_series_make(&gil, totals, CUP_S_GIL_WAIT_NS);
    cup_series_make(&io, totals, CUP_S_IO_WAIT_NS);
    if (gil.too_wide)
        return cup_plot_unavailable(input, "%s", cup_series_too_wide_reason(reason, &gil));
    if (gil.whole <= 0)
        return cup_plot_unavailable(input, "no thread waited for the GIL");
    plot->name = "waiting threads";
    plot->unit = CUP_AXIS_NUMBER;
    plot->seconds = gil.run_s;
    if (add_waits(plot, input->arena, &gil, "for the GIL", CUP_PAINT_RED, CUP_CURVE_FILLED) != 0 ||
        add_waits(plot, input->arena, &io, "for files", CUP_PAINT_BLUE, CUP_CURVE_STEPS) != 0)
        return NULL;
    plot->level = threads;
    if (threads > 0 && threads < THREADS_SHOWN_BELOW * plot->most)
        cup_curves_add(plot, (struct cup_curve){.name = "task threads",
                                                .paint = CUP_PAINT_GREEN,
                                                .kind = CUP_CURVE_LEVEL,
                                                .values = &plot->level,
                                                .count = 1,
                                                .behind = 1});
    write_caption(input, processes, &gil);
    return plot;
}

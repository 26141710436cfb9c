#include <math.h>

#include "plot/figure/figure.h"
#include "plot/figure/marks.h"
#include "plot/shared/plot.h"
#include "plot/shared/time_bins.h"
#include "plot/time/time_plots.h"

/* Where every worker has one task thread, tasks share the GIL with helper threads only: such runs
 * get no plot. */
static bool has_several_threads(const struct cup_profile *profile)
{
    for (size_t i = 0; i < profile->process_count; i++)
        if (profile->processes[i].task_threads > 1)
            return true;
    return false;
}

/* The number of task threads is drawn only if it is less than this many times the most waiting
 * threads: a higher line would squeeze the curves to the bottom. */
#define THREADS_SHOWN_BELOW 4

const void *cup_data_gil_pressure(struct cup_plot_input *input)
{
    const struct cup_totals *totals = input->totals;
    struct cup_pressure *plot = cup_arena_take(input->arena, 1, sizeof *plot);
    struct cup_time_bins gil, io;
    if (!plot)
        return NULL;
    if (!cup_profile_measured(totals->profile, CUP_FEATURE_GIL))
        return cup_plot_unavailable(input,
                                    "the library could not distinguish the GIL from other locks");
    if (!has_several_threads(totals->profile))
        return cup_plot_unavailable(input, "no worker has more than one task thread");
    size_t processes = cup_series_make(&gil, totals, CUP_S_GIL_WAIT_NS);
    cup_series_make(&io, totals, CUP_S_IO_WAIT_NS);
    if (gil.whole <= 0)
        return cup_plot_unavailable(input, "no thread waited for the GIL");
    cup_time_line_make(&plot->gil, &gil);
    cup_time_line_make(&plot->io, &io);
    for (size_t i = 0; i < plot->gil.count; i++) {
        plot->gil.values[i] /= 1e9; /* nanoseconds of waiting per second */
        plot->io.values[i] /= 1e9;
        plot->most = fmax(plot->most, fmax(plot->gil.values[i], plot->io.values[i]));
    }
    plot->seconds = gil.run_s;
    double threads = (double)totals->budget.threads;
    plot->threads = threads < THREADS_SHOWN_BELOW * plot->most ? threads : 0;
    cup_plot_set_caption(input,
                         "Mean number of threads that waited at the same time, helper threads "
                         "included: %zu worker process%s, %.0f task threads, bins of %.3g s. A "
                         "wait is counted when it ends (cupping).",
                         processes, processes == 1 ? "" : "es", threads, gil.bin_s);
    return plot;
}

/* ---- drawing -------------------------------------------------------------------------------- */

void cup_chart_gil_pressure(struct cup_figure *figure, const void *data)
{
    const struct cup_pressure *plot = data;
    const struct cup_stroke gil = {
        .colour = figure->theme->paints[CUP_PAINT_RED], .steps = true, .filled = true};
    const struct cup_stroke io = {.colour = figure->theme->paints[CUP_PAINT_BLUE], .steps = true};
    figure->x = cup_run_axis(plot->seconds);
    figure->y = cup_axis_up_to("waiting threads", CUP_AXIS_NUMBER, fmax(plot->most, plot->threads));
    cup_figure_add_key(figure, CUP_KEY_LINE, gil.colour, "for the GIL");
    cup_figure_add_key(figure, CUP_KEY_LINE, io.colour, "for files");
    if (plot->threads > 0)
        cup_figure_add_key(figure, CUP_KEY_DASHES, figure->theme->paints[CUP_PAINT_GREEN],
                           "task threads");
    cup_figure_open(figure);
    if (plot->threads > 0)
        cup_mark_level(figure, plot->threads, figure->theme->paints[CUP_PAINT_GREEN]);
    cup_mark_line(figure, plot->gil.time_s, plot->gil.values, plot->gil.count, &gil);
    cup_mark_line(figure, plot->io.time_s, plot->io.values, plot->io.count, &io);
    cup_figure_close(figure);
}

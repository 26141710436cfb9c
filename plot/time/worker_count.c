#include <math.h>

#include "plot/figure/figure.h"
#include "plot/figure/marks.h"
#include "plot/shared/plot.h"
#include "plot/time/time_plots.h"

static int make_lines(struct cup_worker_count *plot, struct cup_plot_input *input, size_t count)
{
    plot->time_s = cup_arena_take(input->arena, count, sizeof(double));
    plot->workers = cup_arena_take(input->arena, count, sizeof(double));
    plot->threads = cup_arena_take(input->arena, count, sizeof(double));
    return plot->time_s && plot->workers && plot->threads ? 0 : -1;
}

static void add_point(struct cup_worker_count *plot, double time_s, double workers, double threads)
{
    plot->time_s[plot->count] = time_s;
    plot->workers[plot->count] = workers;
    plot->threads[plot->count] = threads;
    plot->count++;
    plot->with_threads |= threads != workers && !isnan(threads);
    plot->most = fmax(plot->most, fmax(workers, threads));
}

/* The first and the last sample hold for one sampling interval each, but not beyond the ends of the
 * run. */
static void extend_ends(struct cup_worker_count *plot, double sample_s)
{
    if (!plot->count || !(sample_s > 0))
        return;
    plot->time_s[0] = fmax(0, plot->time_s[0] - sample_s);
    add_point(plot, fmin(plot->seconds, plot->time_s[plot->count - 1] + sample_s),
              plot->workers[plot->count - 1], plot->threads[plot->count - 1]);
}

static int add_samples(struct cup_worker_count *plot, struct cup_plot_input *input)
{
    const struct cup_observed *observed = input->totals->observed;
    if (make_lines(plot, input, observed->moment_count + 1) != 0)
        return -1;
    for (size_t i = 0; i < observed->moment_count; i++) {
        const struct cup_moment *moment = &observed->moments[i];
        add_point(plot, (double)(moment->time_ns - input->totals->run.start_ns) / 1e9,
                  moment->workers, moment->threads);
    }
    extend_ends(plot, observed->asked_s);
    return 0;
}

/* Without samples: all workers that left a log, for the whole run. */
static int add_logs(struct cup_worker_count *plot, struct cup_plot_input *input)
{
    const struct cup_totals *totals = input->totals;
    if (make_lines(plot, input, 2) != 0)
        return -1;
    add_point(plot, 0, (double)totals->workers, (double)totals->budget.threads);
    add_point(plot, plot->seconds, (double)totals->workers, (double)totals->budget.threads);
    return 0;
}

/* Makes the data rate of files and sockets, and prints what the caption says about it. */
static void make_rate(struct cup_worker_count *plot, const struct cup_totals *totals, char *to,
                      size_t room)
{
    struct cup_time_bins bins, received;
    size_t processes = cup_series_make(&bins, totals, CUP_S_READ_BYTES);
    cup_received_make(&received, totals);
    snprintf(to, room, "No data file was read.");
    double files = bins.whole;
    for (size_t i = 0; i < bins.count; i++)
        bins.amounts[i] += received.amounts[i];
    bins.whole += received.whole;
    if (bins.whole <= 0)
        return;
    cup_time_line_make(&plot->rate, &bins);
    char of[96] = "";
    if (files > 0)
        snprintf(of, sizeof of, " bytes that %zu worker process%s read from data files", processes,
                 processes == 1 ? "" : "es");
    snprintf(to, room, "Data rate:%s%s%s, in bins of %.3g s (cupping).", of,
             files > 0 && received.whole > 0 ? ", and" : "",
             received.whole > 0
                 ? " bytes from sockets, spread over the time of the tasks that received them"
                 : "",
             bins.bin_s);
}

const void *cup_data_worker_count(struct cup_plot_input *input)
{
    const struct cup_totals *totals = input->totals;
    struct cup_worker_count *plot = cup_arena_take(input->arena, 1, sizeof *plot);
    char rate[240];
    if (!plot)
        return NULL;
    int64_t whole_ns = cup_stretch_ns(totals->run);
    if (whole_ns <= 0)
        return cup_plot_unavailable(input, "the run has no duration: no task was recorded");
    plot->seconds = (double)whole_ns / 1e9;
    bool sampled = totals->observed->moment_count > 1;
    if (!sampled && totals->workers == 0)
        return cup_plot_unavailable(input, "no worker was recorded");
    if ((sampled ? add_samples(plot, input) : add_logs(plot, input)) != 0)
        return NULL;
    make_rate(plot, totals, rate, sizeof rate);
    cup_plot_set_caption(input, "Workers: %s. %s",
                         sampled ? "samples of the scheduler's state (Dask)"
                                 : "all that left a log (cupping)",
                         rate);
    return plot;
}

/* ---- drawing -------------------------------------------------------------------------------- */

void cup_chart_worker_count(struct cup_figure *figure, const void *data)
{
    const struct cup_worker_count *plot = data;
    const struct cup_colour *paints = figure->theme->paints;
    const struct cup_stroke workers = {.colour = paints[CUP_PAINT_BLUE], .steps = true};
    const struct cup_stroke threads = {
        .colour = paints[CUP_PAINT_GREEN], .steps = true, .dashed = true};
    const struct cup_stroke rate = {
        .colour = paints[CUP_PAINT_RED], .right = true, .steps = true, .filled = true};
    figure->x = cup_run_axis(plot->seconds);
    figure->y =
        cup_axis_coloured(cup_axis_up_to(plot->with_threads ? "workers, threads" : "workers",
                                         CUP_AXIS_COUNT, plot->most),
                          paints[CUP_PAINT_BLUE]);
    cup_figure_add_key(figure, CUP_KEY_LINE, workers.colour, "workers");
    if (plot->with_threads)
        cup_figure_add_key(figure, CUP_KEY_DASHES, threads.colour, "task threads");
    if (plot->rate.count) {
        figure->right =
            cup_axis_coloured(cup_axis_up_to("data rate", CUP_AXIS_BYTE_RATE, plot->rate.most),
                              paints[CUP_PAINT_RED]);
        cup_figure_add_key(figure, CUP_KEY_LINE, rate.colour, "data rate");
    }
    cup_figure_open(figure);
    cup_mark_line(figure, plot->rate.time_s, plot->rate.values, plot->rate.count, &rate);
    if (plot->with_threads)
        cup_mark_line(figure, plot->time_s, plot->threads, plot->count, &threads);
    cup_mark_line(figure, plot->time_s, plot->workers, plot->count, &workers);
    cup_figure_close(figure);
}

#include <math.h>

#include "plot/shared/curves.h"
#include "plot/shared/plot.h"

struct counts {
    double *time_s, *workers, *threads; /* threads NAN: not known */
    size_t count;
    double seconds;    /* of the run */
    bool with_threads; /* their number differs from that of the workers */
};

static int make_lines(struct counts *counts, struct cup_plot_input *input, size_t count)
{
    counts->time_s = cup_arena_take(input->arena, count, sizeof(double));
    counts->workers = cup_arena_take(input->arena, count, sizeof(double));
    counts->threads = cup_arena_take(input->arena, count, sizeof(double));
    return counts->time_s && counts->workers && counts->threads ? 0 : -1;
}

static void add_point(struct counts *counts, double time_s, double workers, double threads)
{
    counts->time_s[counts->count] = time_s;
    counts->workers[counts->count] = workers;
    counts->threads[counts->count] = threads;
    counts->count++;
    counts->with_threads |= threads != workers && !isnan(threads);
}

/* The first and the last sample hold for one sampling interval each, but not beyond the ends of the
 * run. */
static void extend_ends(struct counts *counts, double sample_s)
{
    if (!counts->count || !(sample_s > 0))
        return;
    counts->time_s[0] = fmax(0, counts->time_s[0] - sample_s);
    add_point(counts, fmin(counts->seconds, counts->time_s[counts->count - 1] + sample_s),
              counts->workers[counts->count - 1], counts->threads[counts->count - 1]);
}

static int add_samples(struct counts *counts, struct cup_plot_input *input)
{
    const struct cup_observed *observed = input->totals->observed;
    if (make_lines(counts, input, observed->moment_count + 1) != 0)
        return -1;
    for (size_t i = 0; i < observed->moment_count; i++) {
        const struct cup_moment *moment = &observed->moments[i];
        add_point(counts, (double)(moment->time_ns - input->totals->run.start_ns) / 1e9,
                  moment->workers, moment->threads);
    }
    extend_ends(counts, observed->asked_s);
    return 0;
}

/* Without samples: all workers that left a log, for the whole run. */
static int add_logs(struct counts *counts, struct cup_plot_input *input)
{
    const struct cup_totals *totals = input->totals;
    if (make_lines(counts, input, 2) != 0)
        return -1;
    add_point(counts, 0, (double)totals->workers, (double)totals->budget.threads);
    add_point(counts, counts->seconds, (double)totals->workers, (double)totals->budget.threads);
    return 0;
}

/* Adds the data rate of files and sockets, and prints what the caption says about it. */
static int add_rate(struct cup_curves *plot, struct cup_plot_input *input, char *to, size_t room)
{
    struct cup_time_bins bins, received;
    char reason[CUP_TOO_WIDE_TEXT];
    size_t processes = cup_series_make(&bins, input->totals, CUP_S_READ_BYTES);
    if (bins.too_wide) {
        snprintf(to, room, "No data rate: %s.", cup_series_too_wide_reason(reason, &bins));
        return 0;
    }
    cup_received_make(&received, input->totals);
    cup_time_bins_widen(&received, bins.bin_s);
    snprintf(to, room, "%s",
             input->totals->all.read_bytes ? "When data files were read is not recorded."
                                           : "No data file was read.");
    double files = bins.whole;
    for (size_t i = 0; i < bins.count; i++)
        bins.amounts[i] += received.amounts[i];
    bins.whole += received.whole;
    if (bins.whole <= 0)
        return 0;
    const struct cup_time_line *line = cup_time_line_new(input->arena, &bins);
    if (!line)
        return -1;
    plot->right_name = "data rate";
    plot->right_unit = CUP_AXIS_BYTE_RATE;
    struct cup_curve rate = cup_curve_of("data rate", CUP_PAINT_RED, CUP_CURVE_FILLED, line);
    rate.right = true;
    rate.behind = 2;
    cup_curves_add(plot, rate);
    char of[112] = "";
    if (files > 0)
        snprintf(of, sizeof of, " bytes that %zu worker process%s read from files and servers",
                 processes, processes == 1 ? "" : "es");
    snprintf(to, room, "Data rate:%s%s%s, in bins of %.3g s (cupping).", of,
             files > 0 && received.whole > 0 ? ", and" : "",
             received.whole > 0
                 ? " bytes from other sockets, spread over the time of the tasks that received them"
                 : "",
             bins.bin_s);
    return 0;
}

static void add_counts(struct cup_curves *plot, const struct counts *counts)
{
    struct cup_curve curve = {.name = "workers",
                              .paint = CUP_PAINT_BLUE,
                              .kind = CUP_CURVE_STEPS,
                              .time_s = counts->time_s,
                              .values = counts->workers,
                              .count = counts->count};
    cup_curves_add(plot, curve);
    curve.name = "task threads";
    curve.paint = CUP_PAINT_GREEN;
    curve.kind = CUP_CURVE_DASHES;
    curve.values = counts->threads;
    curve.behind = 1;
    if (counts->with_threads)
        cup_curves_add(plot, curve);
}

const void *cup_data_worker_count(struct cup_plot_input *input)
{
    const struct cup_totals *totals = input->totals;
    struct cup_curves *plot = cup_arena_take(input->arena, 1, sizeof *plot);
    struct counts counts = {.count = 0};
    char rate[240];
    if (!plot)
        return NULL;
    int64_t whole_ns = cup_stretch_ns(totals->run);
    if (whole_ns <= 0)
        return cup_plot_unavailable(input, "the run has no duration: no task was recorded");
    counts.seconds = (double)whole_ns / 1e9;
    bool sampled = totals->observed->moment_count > 1;
    if (!sampled && totals->workers == 0)
        return cup_plot_unavailable(input, "no worker was recorded");
    if ((sampled ? add_samples(&counts, input) : add_logs(&counts, input)) != 0)
        return NULL;
    *plot = (struct cup_curves){.name = counts.with_threads ? "workers, threads" : "workers",
                                .unit = CUP_AXIS_COUNT,
                                .coloured = true,
                                .seconds = counts.seconds};
    add_counts(plot, &counts);
    if (add_rate(plot, input, rate, sizeof rate) != 0)
        return NULL;
    cup_plot_set_caption(input, "Workers: %s. %s",
                         sampled ? "samples of the scheduler's state (Dask)"
                                 : "all that left a log (cupping)",
                         rate);
    return plot;
}

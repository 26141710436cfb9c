#include <stdio.h>

#include "plot/shared/curves.h"
#include "plot/shared/plot.h"
#include "plot/shared/time_bins.h"

static void add_line(struct cup_curves *plot, const char *name, enum cup_paint paint,
                     const struct cup_time_line *line)
{
    cup_curves_add(plot, cup_curve_of(name, paint, CUP_CURVE_FILLED, line));
}

static void add_mean(struct cup_curves *plot, const char *name, double mean)
{
    plot->level = mean;
    cup_curves_add(plot, (struct cup_curve){.name = name,
                                            .paint = CUP_PAINT_RED,
                                            .kind = CUP_CURVE_LEVEL,
                                            .values = &plot->level,
                                            .count = 1});
}

/* Bytes per second to tasks, as in the report: the series has the reads of threads without a task,
 * too, and its bins may reach beyond the ends of the run. */
static double mean_of_run(const struct cup_plot_input *input, const struct cup_time_bins *read)
{
    return (double)input->totals->all.read_bytes / read->run_s;
}

static void write_caption(struct cup_plot_input *input, const struct cup_time_bins *read,
                          size_t processes, double most, bool received)
{
    char mean[24], peak[24], files[160] = "Nothing was read";
    if (!(read->whole > 0) && input->totals->all.read_bytes)
        snprintf(files, sizeof files, "When %s were read is not recorded",
                 cup_tick_text(mean, (double)input->totals->all.read_bytes, CUP_AXIS_BYTES));
    else if (read->whole > 0)
        snprintf(files, sizeof files,
                 "Data files and servers, at the time of each read, in %zu worker process%s: mean "
                 "%s read by tasks, at most %s",
                 processes, processes == 1 ? "" : "es",
                 cup_tick_text(mean, mean_of_run(input, read), CUP_AXIS_BYTE_RATE),
                 cup_tick_text(peak, most, CUP_AXIS_BYTE_RATE));
    cup_plot_set_caption(input, "%s; in bins of %.3g s%s (cupping).", files, read->bin_s,
                         received
                             ? ". Bytes from other sockets are spread over the time of the tasks "
                               "that received them: when they arrived is not recorded"
                             : "");
}

/* A line below 1 % of what was read would lie on the axis. Sockets that carry only the messages of
 * a protocol give such a line. */
static bool is_worth_showing(const struct cup_time_bins *other, const struct cup_time_bins *read)
{
    return other->whole > 0 && other->whole > 0.01 * read->whole;
}

const void *cup_data_data_rate(struct cup_plot_input *input)
{
    struct cup_curves *plot = cup_arena_take(input->arena, 1, sizeof *plot);
    struct cup_time_bins read, written, received;
    char reason[CUP_TOO_WIDE_TEXT];
    size_t processes = cup_series_make(&read, input->totals, CUP_S_READ_BYTES);
    cup_series_make(&written, input->totals, CUP_S_WRITE_BYTES);
    cup_received_make(&received, input->totals);
    cup_time_bins_widen(&received, read.bin_s);
    const struct cup_time_line *reads = cup_time_line_new(input->arena, &read);
    const struct cup_time_line *writes = cup_time_line_new(input->arena, &written);
    const struct cup_time_line *sockets = cup_time_line_new(input->arena, &received);
    if (!plot || !reads || !writes || !sockets)
        return NULL;
    if (read.too_wide)
        return cup_plot_unavailable(input, "%s", cup_series_too_wide_reason(reason, &read));
    bool with_sockets = is_worth_showing(&received, &read);
    if (read.whole <= 0 && !with_sockets)
        return cup_plot_unavailable(input, "%s, and sockets delivered nothing to tasks",
                                    input->totals->all.read_bytes
                                        ? "when data files were read is not recorded"
                                        : "no data file was read");
    plot->name = "data rate";
    plot->unit = CUP_AXIS_BYTE_RATE;
    plot->bits = true;
    plot->seconds = read.run_s;
    if (read.whole > 0)
        add_line(plot, "read", CUP_PAINT_BLUE, reads);
    if (with_sockets)
        add_line(plot, "other sockets, spread over tasks", CUP_PAINT_GREEN, sockets);
    if (is_worth_showing(&written, &read))
        add_line(plot, "written", CUP_PAINT_ORANGE, writes);
    if (read.whole > 0)
        add_mean(plot, "read by tasks, mean of the run", mean_of_run(input, &read));
    write_caption(input, &read, processes, reads->most, with_sockets);
    return plot;
}

#include "plot/charts.h"
#include "plot/curves.h"
#include "plot/rates.h"

/* A line of one row of the processes' series; NULL without memory, or if nothing is in it. */
static const struct cup_time_line *make_line(struct cup_plot_input *input, enum cup_series_row row,
                                             struct cup_time_bins *bins, size_t *processes)
{
    struct cup_time_line *line = cup_arena_take(input->arena, 1, sizeof *line);
    *processes = cup_series_make(bins, input->totals, row);
    if (line && bins->whole > 0)
        cup_time_line_make(line, bins);
    return line;
}

static void add_line(struct cup_curves *plot, const char *name, enum cup_paint paint,
                     const struct cup_time_line *line)
{
    if (line->count)
        cup_curves_add(plot, (struct cup_curve){.name = name,
                                                .paint = paint,
                                                .kind = CUP_CURVE_STEPS,
                                                .time_s = line->time_s,
                                                .values = line->values,
                                                .count = line->count});
}

static int add_mean(struct cup_curves *plot, struct cup_arena *arena, double mean)
{
    double *level = cup_arena_take(arena, 1, sizeof *level);
    if (!level)
        return -1;
    *level = mean;
    cup_curves_add(plot, (struct cup_curve){.name = "read, mean of the run",
                                            .paint = CUP_PAINT_RED,
                                            .kind = CUP_CURVE_LEVEL,
                                            .values = level,
                                            .count = 1});
    return 0;
}

static void say(struct cup_plot_input *input, const struct cup_time_bins *read, size_t processes,
                double most)
{
    char mean[24], peak[24];
    cup_plot_say(input,
                 "Data files, when they were read, of %zu worker process%s, in bins of %.3g s; "
                 "mean %s, at most %s. What sockets deliver is not kept over time (P).",
                 processes, processes == 1 ? "" : "es", read->bin_s,
                 cup_tick_text(mean, read->whole / read->run_s, CUP_AXIS_BYTE_RATE),
                 cup_tick_text(peak, most, CUP_AXIS_BYTE_RATE));
}

const void *cup_data_data_rate(struct cup_plot_input *input)
{
    struct cup_curves *plot = cup_arena_take(input->arena, 1, sizeof *plot);
    struct cup_time_bins read, written;
    size_t processes, ignored;
    const struct cup_time_line *reads = make_line(input, CUP_S_READ_BYTES, &read, &processes);
    const struct cup_time_line *writes = make_line(input, CUP_S_WRITE_BYTES, &written, &ignored);
    if (!plot || !reads || !writes)
        return NULL;
    if (read.whole <= 0)
        return cup_plot_none(input,
                             "no data file was read; what sockets deliver is not kept over time");
    plot->name = "data rate";
    plot->unit = CUP_AXIS_BYTE_RATE;
    plot->bits = true;
    plot->seconds = read.run_s;
    add_line(plot, "read", CUP_PAINT_BLUE, reads);
    add_line(plot, "written", CUP_PAINT_ORANGE, writes);
    if (add_mean(plot, input->arena, read.whole / read.run_s) != 0)
        return NULL;
    say(input, &read, processes, reads->most);
    return plot;
}

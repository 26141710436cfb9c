/* Made-up data for plots of rows with names and of curves over time. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "plot/flame/flame.h"
#include "plot/io/io_plots.h"
#include "plot/shared/curves.h"
#include "plot/shared/rows.h"
#include "plot/shared/time_bins.h"
#include "plot/tasks/task_plots.h"
#include "tests/plot/fakes_parts.h"

static const struct cup_bar_kind three_kinds[] = {
    {"slow", CUP_PAINT_RED}, {"fast", CUP_PAINT_GREEN}, {"like the others", CUP_PAINT_BLUE}};

static const void *fake_rows(enum fake_kind kind, bool stacked, bool marked,
                             struct cup_arena *arena)
{
    struct cup_rows *plot =
        cup_rows_make(arena, three_kinds, 3, "hosts", "events per second and core", CUP_AXIS_HERTZ);
    struct dice dice = {11};
    if (!plot)
        abort();
    plot->mark = !marked ? 0 : kind == FAKE_ODD ? INFINITY : 900;
    plot->mark_name = "median";
    for (size_t i = 0; i < amount(kind, 7, CUP_ROWS_SHOWN); i++) {
        double value = kind == FAKE_ODD ? odd(i) : 500 + 1000 * roll(&dice);
        struct cup_row *row = cup_rows_add(plot, name_of(kind, i, arena), i % 3, value);
        for (size_t part = 0; stacked && part < 3; part++)
            row->parts[part] = value / 3;
        snprintf(row->text, sizeof row->text, "%.0f Hz, %zu chunks", value, 10 * i);
    }
    return plot;
}

static const void *fake_shares_of_hundred(enum fake_kind kind, struct cup_arena *arena)
{
    struct cup_rows *plot =
        cup_rows_make(arena, three_kinds, 3, "figures", "share", CUP_AXIS_PERCENT);
    if (!plot)
        abort();
    plot->whole = kind == FAKE_ODD ? NAN : 100;
    for (size_t i = 0; i < amount(kind, 6, CUP_ROWS_SHOWN); i++)
        cup_rows_add(plot, name_of(kind, i, arena), i % 3,
                     kind == FAKE_ODD ? odd(i) : 100.0 / (double)(i + 1));
    return plot;
}

static double *fake_times(size_t count, double seconds, struct cup_arena *arena)
{
    double *times = take(arena, count, sizeof *times);
    for (size_t i = 0; i < count; i++)
        times[i] = seconds * ((double)i + 0.5) / (double)count;
    return times;
}

static void add_curve(struct cup_curves *plot, enum fake_kind kind, const char *name,
                      enum cup_curve_kind style, double most, struct cup_arena *arena)
{
    struct dice dice = {(uint32_t)plot->count + 12};
    size_t count = amount(kind, 60, CUP_TIME_BINS);
    double *values = take(arena, count, sizeof *values);
    for (size_t i = 0; i < count; i++)
        values[i] = kind == FAKE_ODD ? odd(i)
                    : i % 20 == 19   ? NAN
                                     : most * (0.6 + 0.4 * roll(&dice));
    cup_curves_add(plot, (struct cup_curve){.name = name,
                                            .paint = (enum cup_paint)plot->count,
                                            .kind = style,
                                            .time_s = fake_times(count, plot->seconds, arena),
                                            .low = take(arena, count, sizeof(double)),
                                            .values = values,
                                            .count = count});
}

static const void *fake_curves(enum fake_kind kind, enum cup_axis_unit unit,
                               struct cup_arena *arena)
{
    struct cup_curves *plot = take(arena, 1, sizeof *plot);
    double most = unit == CUP_AXIS_PERCENT ? 98 : 25e9;
    plot->name = "of all workers";
    plot->unit = unit;
    plot->bits = unit == CUP_AXIS_BYTE_RATE;
    plot->whole = unit == CUP_AXIS_PERCENT;
    plot->seconds = run_seconds(kind, kind == FAKE_LARGE ? 90000 : 130);
    if (plot->bits) {
        add_curve(plot, kind, "read", CUP_CURVE_FILLED, most, arena);
        add_curve(plot, kind, "mean of the run", CUP_CURVE_LEVEL, most / 2, arena);
        if (kind == FAKE_ODD)
            plot->most = 2e20; /* 2^64 bytes in a tenth of a second, the most that a log can have */
        return plot;
    }
    bool bands = unit == CUP_AXIS_BYTES;
    add_curve(plot, kind, "the first one", bands ? CUP_CURVE_BAND : CUP_CURVE_LINE, most / 5,
              arena);
    add_curve(plot, kind, "another one", CUP_CURVE_LINE, most, arena);
    return plot;
}

static const void *fake_task_bytes(enum fake_kind kind, struct cup_arena *arena)
{
    struct cup_task_bytes *plot = take(arena, 1, sizeof *plot);
    struct dice dice = {13};
    size_t count = amount(kind, 300, 100000);
    double *bytes = take(arena, count, sizeof *bytes);
    for (size_t i = 0; i < count; i++)
        bytes[i] = kind == FAKE_ODD ? odd(i) : 1e4 * pow(10, 3 * roll(&dice));
    plot->group_count = kind == FAKE_LARGE ? CUP_TASK_BYTES_GROUPS : amount(kind, 2, 2) % 3;
    plot->median = kind == FAKE_ODD ? NAN : 3e5;
    if (cup_bins_make(&plot->bins, arena, CUP_BINS_LOG, bytes, count, 60) != 0)
        abort();
    for (size_t i = 0; i < plot->group_count; i++) {
        plot->names[i] = name_of(kind, i, arena);
        plot->counts[i] = take(arena, plot->bins.count, sizeof(double));
        for (size_t bin = 0; bin < plot->bins.count; bin++)
            plot->counts[i][bin] = plot->bins.counts[bin] / (double)plot->group_count;
    }
    return plot;
}

static const void *fake_peak_memory(enum fake_kind kind, struct cup_arena *arena)
{
    struct cup_peak_memory *plot = take(arena, 1, sizeof *plot);
    struct dice dice = {14};
    fill_chunks(&plot->chunks, kind, arena);
    plot->bytes = take(arena, plot->chunks.count, sizeof(double));
    for (size_t i = 0; i < plot->chunks.count; i++)
        plot->bytes[i] = kind == FAKE_ODD ? odd(i + 1)
                                          : 5e8 + plot->chunks.points[i].events * 1e4 *
                                                      (0.8 + 0.4 * roll(&dice));
    plot->across.high = kind == FAKE_ODD ? NAN : 110000;
    plot->up.high = kind == FAKE_ODD ? INFINITY : 2.5e9;
    plot->limit = kind == FAKE_ODD ? -1 : 2.2e9;
    plot->fitted = kind != FAKE_EMPTY;
    plot->mean_events = 60000;
    plot->bytes_at_mean = 1.1e9;
    plot->slope = kind == FAKE_ODD ? NAN : 1e4;
    if (kind == FAKE_LARGE)
        fill_density(&plot->density, arena);
    return plot;
}

/* A tree of boxes: in each row each box is cut into ever smaller ones. */
const void *fake_flame(enum fake_kind kind, bool compared, struct cup_arena *arena)
{
    struct cup_flame *plot = take(arena, 1, sizeof *plot);
    struct dice dice = {15};
    size_t most = kind == FAKE_EMPTY ? 0 : amount(kind, 60, 4000);
    size_t deepest = kind == FAKE_LARGE ? 60 : 12;
    plot->unit = CUP_AXIS_SECONDS;
    plot->what = "CPU time";
    plot->compared = compared;
    plot->all = kind == FAKE_ODD ? NAN : 1234;
    plot->boxes = take(arena, most + 1, sizeof *plot->boxes);
    for (size_t parent = 0; plot->count < most; parent++) {
        struct cup_flame_box all = {
            .to = 1234, .self = 3, .is_all = true, .name = "all", .whole = "all"};
        if (plot->count == 0)
            plot->boxes[plot->count++] = all;
        if (parent >= plot->count)
            break;
        struct cup_flame_box *above = &plot->boxes[parent];
        double from = above->from, to = above->to - 0.1 * (above->to - above->from);
        for (int i = 0; i < 3 && plot->count < most && above->row + 1u < deepest; i++) {
            double end = i == 2 ? to : from + (to - from) * (0.4 + 0.4 * roll(&dice));
            struct cup_flame_box box = {.from = from, .to = end, .self = (end - from) / 10};
            struct cup_text name = name_of(kind, plot->count, arena);
            box.row = above->row + 1;
            box.kind = (uint8_t)(plot->count % CUP_FLAME_KINDS);
            box.shade = (int8_t)(plot->count % 7) - 3;
            box.change = kind == FAKE_ODD ? odd(plot->count + 1) : box.shade * 0.01;
            box.name = box.whole = name.bytes;
            if (kind == FAKE_ODD)
                box.to = odd(plot->count);
            plot->boxes[plot->count++] = box;
            from = end;
        }
    }
    for (size_t i = 0; i < plot->count; i++)
        plot->rows = plot->boxes[i].row + 1u > plot->rows ? plot->boxes[i].row + 1u : plot->rows;
    return plot;
}

static void fill_open_row(struct cup_open_row *row, enum fake_kind kind, size_t at,
                          struct cup_arena *arena)
{
    struct dice dice = {(uint32_t)at + 20};
    double middle = 0.002 * pow(10, 2 * roll(&dice)), wide = 1 + 3 * roll(&dice);
    *row = (struct cup_open_row){.name = name_of(kind, at, arena),
                                 .kind = at % CUP_OPEN_KINDS,
                                 .low = middle / wide / wide,
                                 .lower = middle / wide,
                                 .middle = kind == FAKE_ODD ? odd(at) : middle,
                                 .upper = middle * wide,
                                 .high = kind == FAKE_ODD ? odd(at + 1) : middle * wide * wide,
                                 .longest = middle * wide * wide * 2,
                                 .brief = "12 ms (1234)",
                                 .text = "1,234 opens, 3 failed: median 12 ms, 99 % 1.5 s",
                                 .points = kind == FAKE_ONE ? 1 : 60,
                                 .times = take(arena, 60, sizeof(double)),
                                 .shares = take(arena, 60, sizeof(double))};
    for (size_t i = 0; i < row->points; i++) {
        row->shares[i] = row->points == 1 ? 100 : 100 * (double)i / (double)(row->points - 1);
        row->times[i] = kind == FAKE_ODD && i % 5 == 4
                            ? odd(i)
                            : row->low * pow(row->longest / row->low, (double)i / 60);
    }
}

static const void *fake_open_latency(enum fake_kind kind, struct cup_arena *arena)
{
    struct cup_open_latency *plot = take(arena, 1, sizeof *plot);
    plot->count = kind == FAKE_ODD ? 5 : kind == FAKE_LARGE ? CUP_OPEN_ROWS : amount(kind, 4, 4);
    plot->shortest = kind == FAKE_EMPTY ? INFINITY : 1e-4;
    plot->longest = kind == FAKE_ODD ? NAN : 12;
    for (size_t i = 0; i < plot->count; i++) {
        fill_open_row(&plot->rows[i], kind, i, arena);
        plot->names[i] = plot->rows[i].name;
    }
    return plot;
}

static const void *fake_server_latency(enum fake_kind kind, bool over_time, struct cup_arena *arena)
{
    enum { POINTS = 30 };
    struct cup_server_latency *plot = take(arena, 1, sizeof *plot);
    struct dice dice = {31};
    plot->over_time = over_time;
    plot->seconds = kind == FAKE_ODD ? NAN : 600;
    plot->low = kind == FAKE_EMPTY ? 0 : 1e-4;
    plot->high = kind == FAKE_ODD ? INFINITY : 20;
    plot->count = kind == FAKE_ODD ? 5 : amount(kind, 3, CUP_LATENCY_SERVERS);
    plot->others = kind == FAKE_LARGE;
    for (size_t i = 0; i < plot->count; i++) {
        struct cup_text name = name_of(kind, i, arena);
        snprintf(plot->names[i], sizeof *plot->names, "%.*s: 2 ms, 1.2 s",
                 (int)(name.length < 60 ? name.length : 60), name.bytes);
        plot->x[i] = take(arena, POINTS, sizeof(double));
        plot->y[i] = take(arena, POINTS, sizeof(double));
        plot->points[i] = kind == FAKE_ONE ? 1 : POINTS;
        for (size_t at = 0; at < plot->points[i]; at++) {
            double share = (double)at / POINTS, slow = i ? 1 : 100;
            double latency = 0.001 * slow * pow(10, over_time ? roll(&dice) : 2 * share);
            plot->x[i][at] = over_time ? share * 600 : latency;
            plot->y[i][at] = over_time ? latency : share * 100;
            if (kind == FAKE_ODD)
                plot->y[i][at] = odd(at);
        }
    }
    return plot;
}

static const void *fake_server_hosts(enum fake_kind kind, struct cup_arena *arena)
{
    struct cup_server_hosts *plot = take(arena, 1, sizeof *plot);
    struct dice dice = {32};
    plot->server_count = amount(kind, 4, CUP_MATRIX_SERVERS);
    plot->host_count = amount(kind, 5, CUP_MATRIX_HOSTS);
    plot->highest = kind == FAKE_EMPTY ? 0 : kind == FAKE_ODD ? NAN : 2;
    for (size_t i = 0; i < plot->host_count; i++)
        plot->hosts[i] = name_of(kind, i, arena);
    for (size_t row = 0; row < plot->server_count; row++) {
        plot->servers[row] = name_of(kind, row + 10, arena);
        for (size_t i = 0; i < plot->host_count; i++)
            plot->means[row][i] = kind == FAKE_ODD       ? odd(row + i)
                                  : (row + i) % 11 == 10 ? NAN
                                                         : (row == 1 ? 2 : 0.02) * roll(&dice);
    }
    return plot;
}

const void *fake_more(const char *plot, enum fake_kind kind, struct cup_arena *arena)
{
    if (strcmp(plot, "data-rate") == 0)
        return fake_curves(kind, CUP_AXIS_BYTE_RATE, arena);
    if (strcmp(plot, "resource-utilization") == 0)
        return fake_curves(kind, CUP_AXIS_PERCENT, arena);
    if (strcmp(plot, "heap-rss") == 0)
        return fake_curves(kind, CUP_AXIS_BYTES, arena);
    if (strcmp(plot, "efficiency-summary") == 0 || strcmp(plot, "share-read-branches") == 0)
        return fake_shares_of_hundred(kind, arena);
    if (strcmp(plot, "hosts") == 0)
        return fake_rows(kind, false, true, arena);
    if (strcmp(plot, "task-overhead") == 0)
        return fake_rows(kind, true, false, arena);
    if (strcmp(plot, "wasted-work") == 0 || strcmp(plot, "access-sizes") == 0 ||
        strcmp(plot, "servers") == 0)
        return fake_rows(kind, false, false, arena);
    if (strncmp(plot, "flame-", 6) == 0)
        return fake_flame(kind, false, arena);
    if (strcmp(plot, "server-latency") == 0 || strcmp(plot, "server-quantiles") == 0)
        return fake_server_latency(kind, strcmp(plot, "server-latency") == 0, arena);
    if (strcmp(plot, "server-hosts") == 0)
        return fake_server_hosts(kind, arena);
    if (strcmp(plot, "open-latency") == 0)
        return fake_open_latency(kind, arena);
    if (strcmp(plot, "task-bytes") == 0)
        return fake_task_bytes(kind, arena);
    if (strcmp(plot, "peak-memory-events") == 0)
        return fake_peak_memory(kind, arena);
    return fake_access(plot, kind, arena);
}

#include "tests/plot/fakes.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "plot/io/io_plots.h"
#include "plot/shared/curves.h"
#include "plot/shared/per_worker.h"
#include "plot/tasks/task_plots.h"
#include "plot/time/time_plots.h"
#include "tests/plot/fakes_parts.h"

const char *const fake_kinds[FAKE_KINDS + 1] = {"usual", "one",   "empty", "odd",
                                                "day",   "large", "five"};

double roll(struct dice *dice)
{
    dice->state = dice->state * 1664525u + 1013904223u;
    return (dice->state >> 8) / 16777216.0;
}

void *take(struct cup_arena *arena, size_t count, size_t size)
{
    void *bytes = cup_arena_take(arena, count, size);
    if (!bytes)
        abort();
    return bytes;
}

size_t amount(enum fake_kind kind, size_t usual, size_t large)
{
    return kind == FAKE_ONE     ? 1
           : kind == FAKE_EMPTY ? 0
           : kind == FAKE_ODD   ? 7
           : kind == FAKE_LARGE ? large
                                : usual;
}

double run_seconds(enum fake_kind kind, double usual)
{
    return kind == FAKE_DAY ? 86400 : usual;
}

double odd(size_t i)
{
    const double values[] = {NAN, INFINITY, 0, -1, 1e300, 1e-300, 3};
    return values[i % 7];
}

struct cup_text name_of(enum fake_kind kind, size_t i, struct cup_arena *arena)
{
    char *text = take(arena, 1, 200);
    if (kind == FAKE_ODD)
        snprintf(text, 200, "\xff\x01 no text \xe2\x82 at all %zu", i);
    else if (kind == FAKE_LARGE)
        snprintf(text, 200,
                 "store/mc/RunIISummer20UL18NanoAODv9/DYJetsToLL_M-50_TuneCP5_13TeV-amcatnloFXFX-"
                 "pythia8/NANOAODSIM/106X_upgrade2018_realistic_v16_L1v1-v2/%04zu.root",
                 i);
    else
        snprintf(text, 200, "Muon_branch%zu", i);
    return (struct cup_text){text, strlen(text)};
}

/* ---- chunks ----------------------------------------------------------------------------- */

void fill_chunks(struct cup_chunk_points *chunks, enum fake_kind kind, struct cup_arena *arena)
{
    struct dice dice = {1};
    chunks->count = amount(kind, 200, 100000);
    chunks->points = take(arena, chunks->count, sizeof *chunks->points);
    chunks->group_count = amount(kind, 3, CUP_CHUNK_GROUPS);
    if (chunks->group_count > CUP_CHUNK_GROUPS)
        chunks->group_count = CUP_CHUNK_GROUPS;
    for (size_t i = 0; i < chunks->group_count; i++)
        chunks->groups[i] = name_of(kind, i, arena);
    for (size_t i = 0; i < chunks->count; i++) {
        struct cup_chunk_point *point = &chunks->points[i];
        point->group = (uint16_t)(i % chunks->group_count);
        point->events = kind == FAKE_ODD ? odd(i) : 20000 + 80000 * roll(&dice);
        point->wall_s =
            kind == FAKE_ODD ? odd(i + 3) : 2 + point->events * 1e-4 * (0.7 + 0.6 * roll(&dice));
    }
}

void fill_density(struct cup_density *density, struct cup_arena *arena)
{
    density->cells = take(arena, CUP_DENSITY_X * CUP_DENSITY_Y, sizeof(double));
    density->most = 812;
    for (size_t i = 0; i < CUP_DENSITY_X * CUP_DENSITY_Y; i++)
        density->cells[i] = floor(pow(density->most, (double)(i % CUP_DENSITY_X) / CUP_DENSITY_X));
}

static const void *fake_runtime_events(enum fake_kind kind, struct cup_arena *arena)
{
    struct cup_runtime_events *plot = take(arena, 1, sizeof *plot);
    fill_chunks(&plot->chunks, kind, arena);
    plot->most_events = kind == FAKE_ODD ? INFINITY : 100000;
    plot->most_s = kind == FAKE_ODD ? NAN : 15;
    plot->across.high = plot->most_events * (kind == FAKE_LARGE ? 1 : 1.1);
    plot->up.high = plot->most_s;
    plot->fitted = kind == FAKE_USUAL || kind == FAKE_LARGE;
    plot->offset_s = 2;
    plot->slope_s = 1e-4;
    if (kind == FAKE_LARGE) {
        fill_density(&plot->density, arena);
    }
    if (kind == FAKE_USUAL) {
        plot->outlier_count = 2;
        plot->outliers[0] = (struct cup_outlier){60000, 14.5, "0001.root"};
        plot->outliers[1] = (struct cup_outlier){99000, 14.8, "a-file-with-a-long-name.root"};
    }
    return plot;
}

static const void *fake_chunk_runtime(enum fake_kind kind, struct cup_arena *arena)
{
    struct cup_chunk_runtime *plot = take(arena, 1, sizeof *plot);
    struct cup_chunk_points chunks = {0};
    fill_chunks(&chunks, kind, arena);
    double *times = take(arena, chunks.count, sizeof *times);
    for (size_t i = 0; i < chunks.count; i++)
        times[i] = chunks.points[i].wall_s;
    if (cup_bins_make(&plot->times, arena, CUP_BINS_LOG, times, chunks.count, 60) != 0)
        abort();
    plot->median_s = kind == FAKE_ODD ? NAN : 7;
    plot->p90_s = kind == FAKE_ODD ? INFINITY : 11;
    plot->p99_s = kind == FAKE_ODD ? -1 : 13;
    return plot;
}

static const void *fake_branches_per_chunk(enum fake_kind kind, struct cup_arena *arena)
{
    struct cup_branches_per_chunk *plot = take(arena, 1, sizeof *plot);
    struct dice dice = {2};
    fill_chunks(&plot->branches.chunks, kind, arena);
    size_t count = plot->branches.chunks.count;
    double *values = take(arena, count, sizeof *values);
    for (size_t i = 0; i < count; i++)
        values[i] = kind == FAKE_ODD ? odd(i) : floor(12 + 8 * roll(&dice));
    if (cup_grouped_make(&plot->branches, arena, CUP_BINS_WHOLE, values, count, 50) != 0)
        abort();
    plot->mean = kind == FAKE_ODD ? NAN : 16;
    return plot;
}

static const void *fake_bytes_per_chunk(enum fake_kind kind, struct cup_arena *arena)
{
    struct cup_bytes_per_chunk *plot = take(arena, 1, sizeof *plot);
    struct dice dice = {3};
    fill_chunks(&plot->compressed.chunks, kind, arena);
    size_t count = plot->compressed.chunks.count;
    double *values = take(arena, 2 * count, sizeof *values);
    for (size_t i = 0; i < count; i++) {
        values[i] = kind == FAKE_ODD ? odd(i) : 30e6 * (1 + roll(&dice));
        values[count + i] = values[i] * 1.2;
    }
    if (cup_grouped_make(&plot->compressed, arena, CUP_BINS_EVEN, values, 2 * count, 50) != 0)
        abort();
    struct cup_bins *bins = &plot->compressed.bins;
    plot->delivered = take(arena, bins->count, sizeof(double));
    cup_bins_count(bins, values + count, count, plot->delivered);
    for (size_t i = 0; i < bins->count; i++)
        plot->most =
            fmax(plot->most, fmax(plot->delivered[i], cup_grouped_height(&plot->compressed, i)));
    return plot;
}

/* ---- workers ---------------------------------------------------------------------------- */

static void add_line(struct cup_curves *plot, enum fake_kind kind, struct cup_curve curve,
                     double most, struct cup_arena *arena)
{
    struct cup_time_line *line = take(arena, 1, sizeof *line);
    struct dice dice = {7};
    line->count = amount(kind, 60, CUP_TIME_BINS + 1);
    for (size_t i = 0; i < line->count; i++) {
        line->time_s[i] = plot->seconds * (double)i / (double)line->count;
        line->values[i] = kind == FAKE_ODD ? odd(i) : most * roll(&dice);
    }
    curve.time_s = line->time_s;
    curve.values = line->values;
    curve.count = line->count;
    cup_curves_add(plot, curve);
    *(curve.right ? &plot->right_most : &plot->most) = most;
}

static const void *fake_worker_count(enum fake_kind kind, struct cup_arena *arena)
{
    struct cup_curves *plot = take(arena, 1, sizeof *plot);
    size_t count = amount(kind, 60, 100000);
    double *time_s = take(arena, count, sizeof(double));
    double *workers = take(arena, count, sizeof(double));
    double *threads = take(arena, count, sizeof(double));
    double most = kind == FAKE_LARGE ? 8000 : 80;
    plot->name = "workers, threads";
    plot->unit = CUP_AXIS_COUNT;
    plot->coloured = true;
    plot->right_name = "data rate";
    plot->right_unit = CUP_AXIS_BYTE_RATE;
    plot->seconds = run_seconds(kind, kind == FAKE_LARGE ? 3 * 3600 : 60);
    for (size_t i = 0; i < count; i++) {
        double share = (double)i / (double)count;
        time_s[i] = kind == FAKE_ODD ? odd(i) : share * plot->seconds;
        workers[i] = kind == FAKE_ODD ? odd(i + 1) : floor(most / 4 * fmin(1, share * 3));
        threads[i] = workers[i] * 4;
    }
    cup_curves_add(plot, (struct cup_curve){.name = "workers",
                                            .kind = CUP_CURVE_STEPS,
                                            .time_s = time_s,
                                            .values = workers,
                                            .count = count});
    cup_curves_add(plot, (struct cup_curve){.name = "task threads",
                                            .paint = CUP_PAINT_GREEN,
                                            .kind = CUP_CURVE_DASHES,
                                            .time_s = time_s,
                                            .values = threads,
                                            .count = count,
                                            .behind = 1});
    plot->most = most;
    add_line(plot, kind,
             (struct cup_curve){.name = "data rate",
                                .paint = CUP_PAINT_RED,
                                .kind = CUP_CURVE_FILLED,
                                .right = true,
                                .behind = 2},
             25e9, arena);
    return plot;
}

static const void *fake_task_stream(enum fake_kind kind, struct cup_arena *arena)
{
    struct cup_task_stream *plot = take(arena, 1, sizeof *plot);
    struct dice dice = {9};
    plot->seconds = run_seconds(kind, 100);
    plot->lane_count = amount(kind, 6, 2000);
    if (kind == FAKE_LARGE) {
        plot->row_count = CUP_STREAM_ROWS;
        plot->density = take(arena, CUP_STREAM_ROWS * CUP_TIME_BINS, sizeof(double));
        for (size_t i = 0; i < CUP_STREAM_ROWS * CUP_TIME_BINS; i++)
            plot->density[i] = fmax(0, roll(&dice) - (double)i / CUP_TIME_BINS / CUP_STREAM_ROWS);
        return plot;
    }
    plot->lanes = take(arena, plot->lane_count, sizeof *plot->lanes);
    for (size_t i = 0; i < plot->lane_count; i++)
        plot->lanes[i] = name_of(kind, i, arena);
    plot->group_count = amount(kind, 3, 4) < 4 ? amount(kind, 3, 4) : 4;
    for (size_t i = 0; i < plot->group_count; i++)
        plot->groups[i] = name_of(kind, i, arena);
    plot->task_count = plot->lane_count * 10;
    plot->failed_count = plot->task_count > 17;
    double step = plot->seconds / 10;
    plot->tasks = take(arena, plot->task_count, sizeof *plot->tasks);
    for (size_t i = 0; i < plot->task_count; i++)
        plot->tasks[i] = (struct cup_stream_task){
            .from_s = kind == FAKE_ODD ? odd(i) : step * (double)(i % 10),
            .to_s =
                kind == FAKE_ODD ? odd(i + 1) : step * ((double)(i % 10) + 0.5 + 0.5 * roll(&dice)),
            .lane = (uint16_t)(i / 10),
            .group = (uint16_t)(i % 3),
            .failed = i == 17,
            .shares = {0.4, 0.2, kind == FAKE_ODD ? NAN : 0.1, 0.1, 0.2}};
    return plot;
}

static const void *fake_event_rate(enum fake_kind kind, struct cup_arena *arena)
{
    struct cup_curves *plot = take(arena, 1, sizeof *plot);
    plot->name = "events per second";
    plot->right_name = "per busy thread";
    plot->unit = plot->right_unit = CUP_AXIS_HERTZ;
    plot->right_share = 650;
    plot->coloured = true;
    plot->seconds = run_seconds(kind, 200);
    add_line(plot, kind, (struct cup_curve){.name = "all", .kind = CUP_CURVE_FILLED}, 1.5e6, arena);
    add_line(plot, kind,
             (struct cup_curve){.name = "per busy thread",
                                .paint = CUP_PAINT_RED,
                                .kind = CUP_CURVE_DASHES,
                                .right = true},
             2300, arena);
    return plot;
}

static const void *fake_prefix_times(enum fake_kind kind, struct cup_arena *arena)
{
    struct cup_prefix_times *plot = take(arena, 1, sizeof *plot);
    plot->count = amount(kind, 4, CUP_PREFIXES_SHOWN);
    plot->longest = kind == FAKE_ODD ? INFINITY : 5000;
    for (size_t i = 0; i < plot->count; i++) {
        double whole = kind == FAKE_ODD ? odd(i) : 5000 / (double)(i + 1);
        plot->names[i] = name_of(kind, i, arena);
        for (int part = 0; part < CUP_SHOWN_COUNT; part++)
            plot->rows[i].parts[part] = whole * (part ? 0.1 : 0.5);
        plot->rows[i].unexplained = whole * 0.1;
        plot->rows[i].whole = whole;
        plot->rows[i].tasks = 123456 * i + 1;
    }
    return plot;
}

static const void *fake_ramp(enum fake_kind kind, struct cup_arena *arena)
{
    struct cup_ramp_shown *plot = take(arena, 1, sizeof *plot);
    plot->count = amount(kind, 8, CUP_RAMP_STEPS);
    plot->by_events = kind != FAKE_LARGE;
    plot->most_busy = kind == FAKE_ODD ? NAN : (double)plot->count * 10;
    plot->most_rate = 1e6;
    plot->most_per_thread = 3e4;
    for (size_t i = 0; i < plot->count; i++) {
        plot->busy[i] = kind == FAKE_ODD ? odd(i) : 10 * ((double)i + 1);
        plot->rate[i] = 1e6 * sin(((double)i + 1) / (double)plot->count);
        plot->per_thread[i] = kind == FAKE_ODD ? odd(i) : plot->rate[i] / plot->busy[i];
    }
    return plot;
}

static const void *fake_pressure(enum fake_kind kind, struct cup_arena *arena)
{
    static const double threads = 4;
    struct cup_curves *plot = take(arena, 1, sizeof *plot);
    plot->name = "waiting threads";
    plot->unit = CUP_AXIS_NUMBER;
    plot->seconds = run_seconds(kind, 200);
    add_line(
        plot, kind,
        (struct cup_curve){.name = "for the GIL", .paint = CUP_PAINT_RED, .kind = CUP_CURVE_FILLED},
        3.4, arena);
    add_line(plot, kind, (struct cup_curve){.name = "for files", .kind = CUP_CURVE_STEPS}, 0.5,
             arena);
    plot->most = kind == FAKE_ODD ? NAN : 3.4;
    if (kind != FAKE_LARGE)
        cup_curves_add(plot, (struct cup_curve){.name = "task threads",
                                                .paint = CUP_PAINT_GREEN,
                                                .kind = CUP_CURVE_LEVEL,
                                                .values = &threads,
                                                .count = 1,
                                                .behind = 1});
    return plot;
}

static const void *fake_per_worker(enum fake_kind kind, bool flat, struct cup_arena *arena)
{
    struct cup_per_worker *plot = take(arena, 1, sizeof *plot);
    struct dice dice = {10};
    plot->name = "memory / its limit";
    plot->worker_count = amount(kind, 4, 2000);
    plot->row_count = kind == FAKE_LARGE ? CUP_WORKER_ROWS : plot->worker_count;
    plot->bin_count = amount(kind, 50, CUP_TIME_BINS);
    plot->seconds = run_seconds(kind, 300);
    plot->highest = kind == FAKE_ODD ? -INFINITY : 95;
    plot->bin_s = plot->seconds / (double)plot->bin_count;
    plot->heat = flat || plot->worker_count > CUP_WORKER_LINES;
    for (size_t i = 0; i < plot->row_count && i < CUP_WORKER_NAMES; i++)
        plot->workers[i] = name_of(kind, i, arena);
    for (size_t i = 0; i < plot->bin_count; i++)
        plot->time_s[i] = plot->seconds * ((double)i + 0.5) / (double)plot->bin_count;
    plot->values = take(arena, plot->row_count * plot->bin_count, sizeof(double));
    for (size_t i = 0; i < plot->row_count * plot->bin_count; i++)
        plot->values[i] = kind == FAKE_ODD ? odd(i) : 95 * roll(&dice);
    return plot;
}

static const void *fake_progress(enum fake_kind kind, struct cup_arena *arena)
{
    struct cup_progress *plot = take(arena, 1, sizeof *plot);
    plot->count = amount(kind, 50, CUP_PROGRESS_POINTS + 2);
    plot->seconds = run_seconds(kind, 8000);
    plot->reached_s[0] = kind == FAKE_ODD ? NAN : 3000;
    plot->reached_s[1] = kind == FAKE_ODD ? -3 : 5000;
    plot->reached_s[2] = kind == FAKE_ODD ? INFINITY : 7000;
    plot->by_events = kind != FAKE_LARGE;
    for (size_t i = 0; i < plot->count; i++) {
        double share = ((double)i + 1) / (double)plot->count;
        plot->time_s[i] = kind == FAKE_ODD ? odd(i) : plot->seconds * share;
        plot->percent[i] = 100 * sin(share * 1.57);
    }
    return plot;
}

static struct cup_curves *fake_sampled(enum fake_kind kind, bool sum, struct cup_arena *arena)
{
    struct cup_curves *plot = take(arena, 1, sizeof *plot);
    struct dice dice = {8};
    size_t count = amount(kind, 60, CUP_TIME_BINS);
    double *time_s = take(arena, count, sizeof(double)),
           *middle = take(arena, count, sizeof(double));
    double *least = take(arena, count, sizeof(double)), *most = take(arena, count, sizeof(double));
    plot->name = sum ? "tasks that run" : "memory / its limit";
    plot->unit = sum ? CUP_AXIS_COUNT : CUP_AXIS_PERCENT;
    plot->seconds = run_seconds(kind, kind == FAKE_LARGE ? 90000 : 130);
    for (size_t i = 0; i < count; i++) {
        time_s[i] = plot->seconds * (double)i / (double)count;
        middle[i] = kind == FAKE_ODD ? odd(i) : i % 20 == 19 ? NAN : 40 + 20 * roll(&dice);
        least[i] = middle[i] * 0.8;
        most[i] = middle[i] * 1.5;
    }
    cup_curves_add(plot, (struct cup_curve){.name = sum ? NULL : "mean of the workers",
                                            .kind = sum ? CUP_CURVE_FILLED : CUP_CURVE_LINE,
                                            .time_s = time_s,
                                            .values = middle,
                                            .count = count});
    if (!sum)
        cup_curves_add(plot, (struct cup_curve){.name = "least to largest",
                                                .kind = CUP_CURVE_BAND,
                                                .time_s = time_s,
                                                .low = least,
                                                .values = most,
                                                .count = count,
                                                .behind = 1});
    plot->most = kind == FAKE_ODD ? NAN : 95;
    return plot;
}

static const void *fake_memory(enum fake_kind kind, struct cup_arena *arena)
{
    struct cup_curves *plot = fake_sampled(kind, false, arena);
    plot->name = "memory of a worker";
    plot->unit = CUP_AXIS_BYTES;
    plot->level = kind == FAKE_ODD ? NAN : 120;
    cup_curves_add(plot,
                   (struct cup_curve){.name = "limit of a worker: 120 B",
                                      .paint = CUP_PAINT_RED,
                                      .kind = kind == FAKE_LARGE ? CUP_CURVE_NOTE : CUP_CURVE_LEVEL,
                                      .values = &plot->level,
                                      .count = kind != FAKE_LARGE});
    return plot;
}

/* ---- files and branches ----------------------------------------------------------------- */

static const void *fake_ratios(enum fake_kind kind, bool files, struct cup_arena *arena)
{
    struct cup_ratios *plot = take(arena, 1, sizeof *plot);
    struct dice dice = {5};
    plot->what = files ? "files" : "branches";
    plot->all = kind == FAKE_ODD ? NAN : 2.2;
    plot->count = amount(kind, 12, CUP_ROWS_MOST);
    for (size_t i = 0; i < plot->count; i++) {
        plot->names[i] = name_of(kind, i, arena);
        plot->rows[i] =
            (struct cup_ratio){.ratio = kind == FAKE_ODD ? odd(i) : 1 + 3 * roll(&dice),
                               .saved = kind == FAKE_ODD ? odd(i + 1) : 4e9 / (double)(i + 1),
                               .bytes = kind == FAKE_ODD ? odd(i) : 3e9 / (double)(i + 1),
                               .algorithms = 1u << i % 7 | (i % 5 == 4 ? 6 : 0)};
    }
    if (kind == FAKE_LARGE && files) {
        double *values = take(arena, 1000, sizeof *values);
        for (size_t i = 0; i < 1000; i++)
            values[i] = 2 + roll(&dice) * roll(&dice);
        if (cup_bins_make(&plot->bins, arena, CUP_BINS_RATIO, values, 1000, 40) != 0)
            abort();
    }
    return plot;
}

static const void *fake_shares(enum fake_kind kind, struct cup_arena *arena)
{
    struct cup_shares *plot = take(arena, 1, sizeof *plot);
    struct dice dice = {6};
    plot->count = amount(kind, 8, CUP_ROWS_MOST);
    for (size_t i = 0; i < plot->count; i++) {
        plot->names[i] = name_of(kind, i, arena);
        plot->rows[i].bytes = kind == FAKE_ODD ? odd(i) : 60 * roll(&dice);
        plot->rows[i].branches = kind == FAKE_ODD ? odd(i + 2) : 100 * roll(&dice);
    }
    if (kind != FAKE_LARGE)
        return plot;
    if (cup_bins_between(&plot->bytes, arena, 0, 100, 20) != 0)
        abort();
    plot->branches = take(arena, 20, sizeof(double));
    for (size_t i = 0; i < 20; i++) {
        plot->bytes.counts[i] = floor(300 * roll(&dice));
        plot->branches[i] = floor(300 * roll(&dice));
    }
    plot->most = 300;
    return plot;
}

static const void *fake_time_budget(enum fake_kind kind, struct cup_arena *arena)
{
    struct cup_time_budget *plot = take(arena, 1, sizeof *plot);
    plot->count = amount(kind, 9, CUP_BUDGET_COUNT + 1);
    for (size_t i = 0; i < plot->count; i++) {
        plot->names[i] = name_of(kind, i, arena);
        plot->rows[i].part = (enum cup_budget_part)(i ? i - 1 : 0);
        plot->rows[i].from = kind == FAKE_ODD ? odd(i) : i ? 12.0 * (double)(i - 1) : 0;
        plot->rows[i].to = kind == FAKE_ODD ? odd(i + 1) : i ? 12.0 * (double)i : 100;
        plot->rows[i].seconds = kind == FAKE_ODD ? odd(i) : 1e4;
    }
    return plot;
}

static const void *fake_tasks(enum fake_kind kind, struct cup_arena *arena)
{
    struct cup_curves *plot = fake_sampled(kind, true, arena);
    struct cup_curve *tasks = &plot->curves[0];
    double *threads = take(arena, tasks->count, sizeof *threads), most = plot->most;
    for (size_t i = 0; i < tasks->count; i++)
        threads[i] = kind == FAKE_ODD ? odd(i + 1) : i < tasks->count / 3 ? 50 : 90;
    tasks->name = plot->name;
    cup_curves_add(plot, (struct cup_curve){.name = "task threads",
                                            .paint = CUP_PAINT_GREEN,
                                            .kind = CUP_CURVE_DASHES,
                                            .time_s = tasks->time_s,
                                            .values = threads,
                                            .count = tasks->count});
    plot->most = most;
    return plot;
}

const void *fake_data(const char *plot, enum fake_kind kind, struct cup_arena *arena)
{
    if (strcmp(plot, "worker-count") == 0)
        return fake_worker_count(kind, arena);
    if (strcmp(plot, "task-stream") == 0)
        return fake_task_stream(kind, arena);
    if (strcmp(plot, "event-rate") == 0)
        return fake_event_rate(kind, arena);
    if (strcmp(plot, "gil-pressure") == 0)
        return fake_pressure(kind, arena);
    if (strcmp(plot, "memory-per-worker") == 0 || strcmp(plot, "cpu-per-worker") == 0)
        return fake_per_worker(kind, false, arena);
    if (strcmp(plot, "worker-activity") == 0)
        return fake_per_worker(kind, true, arena);
    if (strcmp(plot, "task-cpu") == 0)
        return fake_prefix_times(kind, arena);
    if (strcmp(plot, "scaling") == 0)
        return fake_ramp(kind, arena);
    if (strcmp(plot, "progress") == 0)
        return fake_progress(kind, arena);
    if (strcmp(plot, "memory-utilization") == 0)
        return fake_memory(kind, arena);
    if (strcmp(plot, "cpu-utilization") == 0)
        return fake_sampled(kind, false, arena);
    if (strcmp(plot, "executing-tasks") == 0 || strcmp(plot, "active-tasks") == 0)
        return fake_tasks(kind, arena);
    if (strcmp(plot, "occupancy") == 0)
        return fake_sampled(kind, true, arena);
    if (strcmp(plot, "time-budget") == 0)
        return fake_time_budget(kind, arena);
    if (strcmp(plot, "runtime-events") == 0)
        return fake_runtime_events(kind, arena);
    if (strcmp(plot, "chunk-runtime") == 0)
        return fake_chunk_runtime(kind, arena);
    if (strcmp(plot, "branches-per-chunk") == 0)
        return fake_branches_per_chunk(kind, arena);
    if (strcmp(plot, "bytes-per-chunk") == 0)
        return fake_bytes_per_chunk(kind, arena);
    if (strcmp(plot, "compression-ratio") == 0)
        return fake_ratios(kind, false, arena);
    if (strcmp(plot, "compression-ratio-files") == 0)
        return fake_ratios(kind, true, arena);
    if (strcmp(plot, "share-read") == 0)
        return fake_shares(kind, arena);
    const void *more = fake_more(plot, kind, arena);
    if (!more)
        more = fake_of_runs(plot, kind, arena);
    if (more)
        return more;
    fprintf(stderr, "no fake data for %s\n", plot);
    abort();
}

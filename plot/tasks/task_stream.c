#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "plot/figure/figure.h"
#include "plot/figure/hover_texts.h"
#include "plot/figure/marks.h"
#include "plot/shared/plot.h"
#include "plot/shared/worker_names.h"
#include "plot/tasks/task_plots.h"

/* A thread that ran tasks. */
struct lane {
    const char *host;
    uint32_t process, tid;
};

static int by_thread(const void *a, const void *b)
{
    const struct lane *one = a, *two = b;
    int hosts = strcmp(one->host, two->host);
    if (hosts)
        return hosts;
    if (one->process != two->process)
        return one->process < two->process ? -1 : 1;
    return one->tid < two->tid ? -1 : one->tid > two->tid;
}

static struct lane lane_of(const struct cup_profile *profile, const struct cup_task *task)
{
    uint32_t process = cup_task_process(profile, task);
    return (struct lane){profile->processes[process].header.host, process, task->tid};
}

static bool is_shown(const struct cup_task *task)
{
    return cup_task_place(task) == CUP_PLACE_POOL && cup_task_wall_ns(task) != CUP_UNKNOWN64;
}

/* Returns each thread that ran a shown task once, sorted; counts tasks and threads. */
static struct lane *make_lanes(struct cup_plot_input *input, size_t *tasks, size_t *count)
{
    const struct cup_profile *profile = input->totals->profile;
    struct lane *lanes = cup_arena_take(input->arena, profile->task_count + 1, sizeof *lanes);
    size_t all = 0;
    for (size_t i = 0; lanes && i < profile->task_count; i++) {
        struct lane lane = lane_of(profile, &profile->tasks[i]);
        if (!is_shown(&profile->tasks[i]))
            continue;
        ++*tasks;
        if (all == 0 || by_thread(&lanes[all - 1], &lane) != 0) /* keeps the array short */
            lanes[all++] = lane;
    }
    if (!lanes)
        return NULL;
    qsort(lanes, all, sizeof *lanes, by_thread);
    for (size_t i = 0; i < all; i++)
        if (i == 0 || by_thread(&lanes[i], &lanes[*count - 1]) != 0)
            lanes[(*count)++] = lanes[i];
    return lanes;
}

static size_t find_lane(const struct lane *lanes, size_t count, struct lane lane)
{
    const struct lane *found = bsearch(&lane, lanes, count, sizeof lane, by_thread);
    return (size_t)(found - lanes);
}

/* ---- many tasks: how busy the threads are ------------------------------------------------- */

/* Neighbouring threads share a row. The first threads are at the bottom, where the axis begins. */
static int make_density(struct cup_task_stream *plot, struct cup_plot_input *input,
                        const struct lane *lanes)
{
    const struct cup_profile *profile = input->totals->profile;
    struct cup_time_bins time;
    cup_time_bins_make(&time, input->totals);
    size_t per_row = (plot->lane_count + CUP_STREAM_ROWS - 1) / CUP_STREAM_ROWS;
    plot->row_count = (plot->lane_count + per_row - 1) / per_row;
    struct cup_time_bins *rows = cup_arena_take(input->arena, plot->row_count, sizeof *rows);
    plot->density = cup_arena_take(input->arena, plot->row_count * CUP_TIME_BINS, sizeof(double));
    if (!rows || !plot->density)
        return -1;
    for (size_t i = 0; i < plot->row_count; i++)
        rows[i] = time;
    for (size_t i = 0; i < profile->task_count; i++) {
        const struct cup_task *task = &profile->tasks[i];
        if (!is_shown(task))
            continue;
        size_t lane = find_lane(lanes, plot->lane_count, lane_of(profile, task));
        cup_time_bins_hold(&rows[lane / per_row], task->start_ns, task->stop_ns, 1);
    }
    for (size_t row = 0; row < plot->row_count; row++)
        for (size_t bin = 0; bin < CUP_TIME_BINS; bin++) {
            size_t in_row = row + 1 < plot->row_count ? per_row : plot->lane_count - row * per_row;
            double busy = rows[row].amounts[bin * time.count / CUP_TIME_BINS] / time.bin_s;
            plot->density[(plot->row_count - 1 - row) * CUP_TIME_BINS + bin] =
                fmin(1, busy / (double)in_row);
        }
    return 0;
}

/* ---- few tasks: a bar each ---------------------------------------------------------------- */

static int name_lanes(struct cup_task_stream *plot, struct cup_plot_input *input,
                      const struct lane *lanes)
{
    const struct cup_text *names = cup_process_names(input);
    unsigned number = 0;
    plot->lanes = cup_arena_take(input->arena, plot->lane_count, sizeof *plot->lanes);
    for (size_t i = 0; names && plot->lanes && i < plot->lane_count; i++) {
        const struct cup_text *worker = &names[lanes[i].process];
        char *name = cup_arena_take(input->arena, 1, 96);
        number = i && lanes[i].process == lanes[i - 1].process ? number + 1 : 1;
        if (!name)
            return -1;
        int length =
            snprintf(name, 96, "%.*s, %u", (int)(worker->length < 80 ? worker->length : 80),
                     worker->length ? worker->bytes : "", number);
        plot->lanes[i] = (struct cup_text){name, (size_t)length};
    }
    return names && plot->lanes ? 0 : -1;
}

/* Groups tasks by the prefixes with the most time; the last group holds all other prefixes. */
static uint16_t *make_groups(struct cup_task_stream *plot, struct cup_plot_input *input)
{
    const struct cup_profile *profile = input->totals->profile;
    size_t count = 0;
    uint16_t *groups = cup_arena_take(input->arena, profile->prefix_count + 1, sizeof *groups);
    uint32_t *prefixes = groups ? cup_prefixes_by_time(input->totals, &count) : NULL;
    if (!prefixes)
        return NULL;
    bool all = count <= CUP_STREAM_GROUPS;
    plot->group_count = all ? count : CUP_STREAM_GROUPS;
    for (size_t i = 0; i < count; i++) {
        size_t group = i < plot->group_count ? i : plot->group_count - 1;
        bool others = !all && group + 1 == CUP_STREAM_GROUPS;
        plot->groups[group] = others
                                  ? (struct cup_text){"other tasks", 11}
                                  : cup_profile_text(profile, profile->prefixes[prefixes[i]].name);
        groups[prefixes[i]] = (uint16_t)group;
    }
    free(prefixes);
    return groups;
}

/* Calculates the shares of a task's wall time. They add up to 1, or stay 0 if they are not known.
 * The profile must have been loaded with counters. */
static void calculate_shares(const struct cup_profile *profile, const struct cup_task *task,
                             double shares[CUP_SHOWN_COUNT])
{
    uint64_t wall_ns = cup_task_wall_ns(task);
    size_t index = (size_t)(task - profile->tasks);
    if (!task->split || !profile->own_waits || wall_ns == CUP_UNKNOWN64 || wall_ns == 0 ||
        task->cpu_ns == CUP_UNKNOWN64)
        return;
    const uint64_t *waits = profile->own_waits[index].ns;
    double wall = (double)wall_ns, left = 1;
    const double parts[] = {(double)task->cpu_ns, (double)waits[CUP_WAITED_IO],
                            (double)waits[CUP_WAITED_GIL], (double)waits[CUP_WAITED_RUN_DELAY]};
    for (int i = CUP_SHOWN_CPU; i < CUP_SHOWN_REST; i++) {
        shares[i] = fmin(left, parts[i] / wall);
        left -= shares[i];
    }
    shares[CUP_SHOWN_REST] = left;
}

static int make_tasks(struct cup_task_stream *plot, struct cup_plot_input *input,
                      const struct lane *lanes, size_t tasks)
{
    const struct cup_totals *totals = input->totals;
    const struct cup_profile *profile = totals->profile;
    const uint16_t *groups = make_groups(plot, input);
    plot->tasks = cup_arena_take(input->arena, tasks, sizeof *plot->tasks);
    if (!groups || !plot->tasks || name_lanes(plot, input, lanes) != 0)
        return -1;
    for (size_t i = 0; i < profile->task_count; i++) {
        const struct cup_task *task = &profile->tasks[i];
        if (!is_shown(task))
            continue;
        struct cup_stream_task *shown = &plot->tasks[plot->task_count++];
        shown->from_s = (double)(task->start_ns - totals->run.start_ns) / 1e9;
        shown->to_s = (double)(task->stop_ns - totals->run.start_ns) / 1e9;
        shown->lane = (uint16_t)find_lane(lanes, plot->lane_count, lane_of(profile, task));
        shown->group = groups[cup_task_prefix(profile, task)];
        shown->failed = task->status == CUP_STATUS_ERRED;
        plot->failed_count += shown->failed;
        calculate_shares(profile, task, shown->shares);
    }
    return 0;
}

/* A sentence for the caption, with a space before it; empty if all tasks ended. */
static void write_unended(char *to, size_t room, const struct cup_profile *profile)
{
    size_t count = 0;
    for (size_t i = 0; i < profile->task_count; i++)
        count += cup_task_place(&profile->tasks[i]) == CUP_PLACE_POOL &&
                 cup_task_wall_ns(&profile->tasks[i]) == CUP_UNKNOWN64;
    to[0] = '\0';
    if (count)
        snprintf(to, room, " Not shown, because it is not known when they ended: %zu more.", count);
}

const void *cup_data_task_stream(struct cup_plot_input *input)
{
    struct cup_task_stream *plot = cup_arena_take(input->arena, 1, sizeof *plot);
    size_t tasks = 0;
    const struct lane *lanes = plot ? make_lanes(input, &tasks, &plot->lane_count) : NULL;
    if (!lanes)
        return NULL;
    plot->seconds = (double)cup_stretch_ns(input->totals->run) / 1e9;
    if (tasks == 0 || plot->seconds <= 0)
        return cup_plot_unavailable(input, "no task of the workers' threads ended");
    bool many = plot->lane_count > CUP_LANES_MOST || tasks > CUP_STREAM_TASKS;
    if ((many ? make_density(plot, input, lanes) : make_tasks(plot, input, lanes, tasks)) != 0)
        return NULL;
    char text[64], threads[64], unended[96];
    write_unended(unended, sizeof unended, input->totals->profile);
    cup_count_text(text, tasks, "task");
    cup_count_text(threads, plot->lane_count, "thread");
    if (many)
        cup_plot_set_caption(input,
                             "%s on %s, sorted by host and process. Shade: share of the time spent "
                             "in tasks (cupping).%s",
                             text, threads, unended);
    else
        cup_plot_set_caption(
            input,
            "%s on %s; names of rows: worker, number of the thread. Upper half of a bar: the task. "
            "Lower half: how much of its time was CPU and each kind of wait, not when; no core: "
            "ready to run, but no CPU core was free (cupping).%s",
            text, threads, unended);
    return plot;
}

/* ---- drawing -------------------------------------------------------------------------------- */

/* Prefixes have other colours than the parts of a task's time. */
static struct cup_colour group_colour(const struct cup_figure *figure, unsigned group)
{
    static const enum cup_paint paints[CUP_STREAM_GROUPS] = {CUP_PAINT_BLUE, CUP_PAINT_ORANGE,
                                                             CUP_PAINT_PINK, CUP_PAINT_VIOLET};
    return figure->theme->paints[paints[group < CUP_STREAM_GROUPS ? group : 0]];
}

static bool is_known(const struct cup_stream_task *task)
{
    for (int i = 0; i < CUP_SHOWN_COUNT; i++)
        if (task->shares[i] > 0)
            return true;
    return false;
}

/* Draws one part of a task's time after the parts before it. */
static void draw_part(struct cup_figure *figure, const struct cup_stream_task *task, int part)
{
    double whole = task->to_s - task->from_s, from = task->from_s;
    for (int i = 0; i < part; i++)
        from += task->shares[i] * whole;
    cup_mark_bar(figure, task->lane, 1, 2, from, from + task->shares[part] * whole,
                 figure->theme->paints[cup_shown_parts[part].paint]);
}

/* Draws all bars of one colour in a row: SVG then needs one path for each colour, not for each
 * task. */
static void draw_bars(struct cup_figure *figure, const struct cup_task_stream *plot)
{
    for (unsigned group = 0; group < CUP_STREAM_GROUPS; group++)
        for (size_t i = 0; i < plot->task_count; i++) {
            const struct cup_stream_task *task = &plot->tasks[i];
            if (task->group == group)
                cup_mark_bar(figure, task->lane, 0, is_known(task) ? 2 : 1, task->from_s,
                             task->to_s,
                             task->failed ? figure->theme->ink : group_colour(figure, group));
        }
    for (int part = 0; part < CUP_SHOWN_COUNT; part++)
        for (size_t i = 0; i < plot->task_count; i++)
            draw_part(figure, &plot->tasks[i], part);
    for (size_t i = 0; i < plot->task_count; i++)
        cup_mark_seam(figure, plot->tasks[i].lane, plot->tasks[i].to_s);
}

static void draw_tasks(struct cup_figure *figure, const struct cup_task_stream *plot)
{
    figure->y = cup_axis_names("threads", plot->lanes, plot->lane_count);
    for (unsigned i = 0; i < plot->group_count; i++) {
        const struct cup_text *name = &plot->groups[i];
        cup_figure_add_key(figure, CUP_KEY_BOX, group_colour(figure, i), "%.*s",
                           name->length ? (int)name->length : 9,
                           name->length ? name->bytes : "not known");
    }
    if (plot->failed_count)
        cup_figure_add_key(figure, CUP_KEY_BOX, figure->theme->ink, "failed");
    for (int i = 0; i < CUP_SHOWN_COUNT; i++)
        cup_figure_add_key(figure, CUP_KEY_BOX, figure->theme->paints[cup_shown_parts[i].paint],
                           "%s", cup_shown_parts[i].name);
    cup_figure_open(figure);
    draw_bars(figure, plot);
    cup_figure_close(figure);
}

static void draw_density(struct cup_figure *figure, const struct cup_task_stream *plot)
{
    figure->y = cup_axis_exact("threads", CUP_AXIS_COUNT, (double)plot->lane_count);
    cup_figure_add_key(figure, CUP_KEY_BOX, cup_theme_strength(figure->theme, 0),
                       "seldom in a task");
    cup_figure_add_key(figure, CUP_KEY_BOX, cup_theme_strength(figure->theme, 0.5),
                       "half of the time");
    cup_figure_add_key(figure, CUP_KEY_BOX, cup_theme_strength(figure->theme, 1), "always");
    cup_figure_open(figure);
    cup_mark_density(figure, plot->density, CUP_TIME_BINS, plot->row_count);
    cup_hover_grid(figure, &(struct cup_grid_values){.values = plot->density,
                                                     .columns = CUP_TIME_BINS,
                                                     .rows = plot->row_count,
                                                     .times = 100,
                                                     .what = " % of the time in tasks"});
    cup_figure_close(figure);
}

void cup_chart_task_stream(struct cup_figure *figure, const void *data)
{
    const struct cup_task_stream *plot = data;
    figure->x = cup_run_axis(plot->seconds);
    figure->high_rows = true;
    if (plot->density)
        draw_density(figure, plot);
    else
        draw_tasks(figure, plot);
}

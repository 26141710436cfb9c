#include <string.h>

#include "plot/figure/figure.h"
#include "plot/figure/hover_texts.h"
#include "plot/figure/marks.h"
#include "plot/tasks/task_stream.h"

/* Prefixes have other colours than the parts of a task's time. */
static struct cup_colour group_colour(const struct cup_figure *figure, unsigned group)
{
    static const enum cup_paint paints[] = {CUP_PAINT_BLUE, CUP_PAINT_ORANGE, CUP_PAINT_PINK};
    return group < 3 ? figure->theme->paints[paints[group]] : figure->theme->soft;
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
    figure->y =
        (struct cup_axis){.name = "threads", .names = plot->lanes, .name_count = plot->lane_count};
    for (size_t i = 0; i < plot->group_count; i++)
        cup_figure_add_key(figure, plot->groups[i].length ? plot->groups[i].bytes : "not known",
                           plot->groups[i].length ? plot->groups[i].length : 9, CUP_KEY_BOX,
                           group_colour(figure, (unsigned)i));
    if (plot->failed_count)
        cup_figure_add_key(figure, "failed", 6, CUP_KEY_BOX, figure->theme->ink);
    for (int i = 0; i < CUP_SHOWN_COUNT; i++)
        cup_figure_add_key(figure, cup_shown_parts[i].name, strlen(cup_shown_parts[i].name),
                           CUP_KEY_BOX, figure->theme->paints[cup_shown_parts[i].paint]);
    cup_figure_open(figure);
    draw_bars(figure, plot);
    cup_figure_close(figure);
}

static void draw_density(struct cup_figure *figure, const struct cup_task_stream *plot)
{
    figure->y = (struct cup_axis){
        .name = "threads", .unit = CUP_AXIS_COUNT, .exact = true, .high = (double)plot->lane_count};
    cup_figure_add_key(figure, "seldom in a task", 16, CUP_KEY_BOX,
                       cup_theme_strength(figure->theme, 0));
    cup_figure_add_key(figure, "half of the time", 16, CUP_KEY_BOX,
                       cup_theme_strength(figure->theme, 0.5));
    cup_figure_add_key(figure, "always", 6, CUP_KEY_BOX, cup_theme_strength(figure->theme, 1));
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
    if (plot->density)
        draw_density(figure, plot);
    else
        draw_tasks(figure, plot);
}

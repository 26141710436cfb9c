#include <string.h>

#include "plot/charts.h"
#include "plot/marks.h"
#include "plot/task_stream.h"

/* Other colours than those of what the time went to. */
static struct cup_colour group_colour(const struct cup_figure *figure, unsigned group)
{
    static const enum cup_paint paints[] = {CUP_PAINT_BLUE, CUP_PAINT_ORANGE, CUP_PAINT_PINK};
    return group < 3 ? figure->look->paints[paints[group]] : figure->look->soft;
}

static void draw_task(struct cup_figure *figure, const struct cup_stream_task *task)
{
    double at = task->from_s, whole = task->to_s - task->from_s;
    bool known = false;
    for (int i = 0; i < CUP_SHOWN_COUNT; i++) {
        known |= task->shares[i] > 0;
        cup_mark_bar(figure, task->lane, 1, 2, at, at + task->shares[i] * whole,
                     figure->look->paints[cup_shown_parts[i].paint]);
        at += task->shares[i] * whole;
    }
    cup_mark_bar(figure, task->lane, 0, known ? 2 : 1, task->from_s, task->to_s,
                 task->failed ? figure->look->ink : group_colour(figure, task->group));
    cup_mark_seam(figure, task->lane, task->to_s);
}

static void draw_tasks(struct cup_figure *figure, const struct cup_task_stream *plot)
{
    figure->y =
        (struct cup_axis){.name = "threads", .names = plot->lanes, .name_count = plot->lane_count};
    for (size_t i = 0; i < plot->group_count; i++)
        cup_figure_key(figure, plot->groups[i].length ? plot->groups[i].bytes : "not known",
                       plot->groups[i].length ? plot->groups[i].length : 9, CUP_KEY_BOX,
                       group_colour(figure, (unsigned)i));
    if (plot->failed_count)
        cup_figure_key(figure, "failed", 6, CUP_KEY_BOX, figure->look->ink);
    for (int i = 0; i < CUP_SHOWN_COUNT; i++)
        cup_figure_key(figure, cup_shown_parts[i].name, strlen(cup_shown_parts[i].name),
                       CUP_KEY_BOX, figure->look->paints[cup_shown_parts[i].paint]);
    cup_figure_open(figure);
    for (size_t i = 0; i < plot->task_count; i++)
        draw_task(figure, &plot->tasks[i]);
    cup_figure_close(figure);
}

static void draw_density(struct cup_figure *figure, const struct cup_task_stream *plot)
{
    figure->y = (struct cup_axis){
        .name = "threads", .unit = CUP_AXIS_COUNT, .exact = true, .high = (double)plot->lane_count};
    cup_figure_key(figure, "seldom in a task", 16, CUP_KEY_BOX, cup_look_strength(figure->look, 0));
    cup_figure_key(figure, "half of the time", 16, CUP_KEY_BOX,
                   cup_look_strength(figure->look, 0.5));
    cup_figure_key(figure, "always", 6, CUP_KEY_BOX, cup_look_strength(figure->look, 1));
    cup_figure_open(figure);
    cup_mark_density(figure, plot->density, CUP_TIME_BINS, plot->row_count);
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

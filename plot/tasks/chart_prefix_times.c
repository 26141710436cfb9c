#include <stdio.h>
#include <string.h>

#include "analysis/base/units.h"
#include "plot/figure/figure.h"
#include "plot/figure/marks.h"
#include "plot/tasks/prefix_times.h"

static void draw_row(struct cup_figure *figure, const struct cup_prefix_times *plot, size_t row)
{
    double at = 0;
    char text[96], tasks[CUP_HUMAN_READABLE_ROOM];
    for (int i = 0; i < CUP_SHOWN_COUNT; i++) {
        double to = at + plot->rows[row].parts[i];
        cup_mark_bar(figure, row, 0, 1, at, to, figure->theme->paints[cup_shown_parts[i].paint]);
        at = to;
    }
    cup_mark_bar(figure, row, 0, 1, at, plot->rows[row].whole, figure->theme->grid);
    snprintf(text, sizeof text, "%.0f %% CPU, %.40s task%s",
             100 * plot->rows[row].parts[CUP_SHOWN_CPU] / plot->rows[row].whole,
             cup_print_human_readable(tasks, cup_count(plot->rows[row].tasks), CUP_UNIT_COUNT),
             plot->rows[row].tasks == 1 ? "" : "s");
    if (cup_bar_text_fits(figure, plot->rows[row].whole, text))
        cup_mark_bar_text(figure, row, 0, plot->rows[row].whole, text);
}

void cup_chart_task_cpu(struct cup_figure *figure, const void *data)
{
    const struct cup_prefix_times *plot = data;
    bool unexplained = false;
    figure->x = (struct cup_axis){
        .name = "time of all tasks", .unit = CUP_AXIS_ELAPSED, .high = plot->longest * 1.25};
    figure->y = (struct cup_axis){.name = "tasks", .names = plot->names, .name_count = plot->count};
    for (size_t i = 0; i < plot->count; i++)
        unexplained |= plot->rows[i].unexplained > 0;
    for (int i = 0; i < CUP_SHOWN_COUNT; i++)
        cup_figure_add_key(figure, cup_shown_parts[i].name, strlen(cup_shown_parts[i].name),
                           CUP_KEY_BOX, figure->theme->paints[cup_shown_parts[i].paint]);
    if (unexplained)
        cup_figure_add_key(figure, "unexplained", 11, CUP_KEY_BOX, figure->theme->grid);
    cup_figure_open(figure);
    for (size_t i = 0; i < plot->count; i++)
        draw_row(figure, plot, i);
    cup_figure_close(figure);
}

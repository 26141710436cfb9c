#include <stdio.h>

#include "analysis/base/units.h"
#include "plot/figure/figure.h"
#include "plot/figure/marks.h"
#include "plot/time/time_budget.h"

/* Work is green, idle time grey. Parts that other plots show have the same paint there
 * (plot/shared/data_waits_shown.c). */
static const enum cup_paint paints[CUP_BUDGET_COUNT] = {
    [CUP_BUDGET_TASK_CPU] = CUP_PAINT_GREEN,   [CUP_BUDGET_IO] = CUP_PAINT_SKY,
    [CUP_BUDGET_GIL] = CUP_PAINT_RED,          [CUP_BUDGET_LOCK] = CUP_PAINT_PINK,
    [CUP_BUDGET_SLEEP] = CUP_PAINT_ORANGE,     [CUP_BUDGET_POLL] = CUP_PAINT_BLUE,
    [CUP_BUDGET_RUN_DELAY] = CUP_PAINT_YELLOW, [CUP_BUDGET_FAULT] = CUP_PAINT_PINK,
    [CUP_BUDGET_OTHER] = CUP_PAINT_ORANGE,     [CUP_BUDGET_UNTOLD] = CUP_PAINT_ORANGE,
    [CUP_BUDGET_UNFINISHED] = CUP_PAINT_RED,   [CUP_BUDGET_BETWEEN] = CUP_PAINT_BLUE,
    [CUP_BUDGET_IDLE] = CUP_PAINT_GREY,
};

static void draw_row(struct cup_figure *figure, const struct cup_time_budget *plot, size_t row)
{
    char text[80], time[CUP_DURATION_TEXT], share[CUP_HUMAN_READABLE_ROOM];
    double percent = plot->rows[row].to - plot->rows[row].from;
    struct cup_colour colour =
        row ? figure->theme->paints[paints[plot->rows[row].part]] : figure->theme->soft;
    cup_mark_bar(figure, row, 0, 1, plot->rows[row].from, plot->rows[row].to, colour);
    cup_duration_text(time, plot->rows[row].seconds);
    if (row)
        snprintf(text, sizeof text, "%s, %s",
                 cup_print_human_readable(share, cup_real(percent), CUP_UNIT_PERCENT), time);
    else
        snprintf(text, sizeof text, "%s", time);
    cup_mark_bar_text(figure, row, plot->rows[row].from, plot->rows[row].to, text);
}

void cup_chart_time_budget(struct cup_figure *figure, const void *data)
{
    const struct cup_time_budget *plot = data;
    figure->x = (struct cup_axis){.name = "share of the worker threads' time",
                                  .unit = CUP_AXIS_PERCENT,
                                  .exact = true,
                                  .high = 100};
    figure->y = (struct cup_axis){.name = "parts", .names = plot->names, .name_count = plot->count};
    cup_figure_open(figure);
    for (size_t i = 0; i < plot->count; i++)
        draw_row(figure, plot, i);
    cup_figure_close(figure);
}

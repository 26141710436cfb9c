#include <stdio.h>
#include <string.h>

#include "analysis/base/units.h"
#include "plot/figure/figure.h"
#include "plot/figure/marks.h"
#include "plot/shared/plot.h"
#include "plot/time/time_plots.h"

static void add_row(struct cup_time_budget *plot, const char *name, enum cup_budget_part part,
                    double percent, double seconds)
{
    double from = plot->count > 1 ? plot->rows[plot->count - 1].to : 0;
    plot->names[plot->count] = (struct cup_text){name, strlen(name)};
    plot->rows[plot->count].part = part;
    plot->rows[plot->count].from = from;
    plot->rows[plot->count].to = from + percent;
    plot->rows[plot->count].seconds = seconds;
    plot->count++;
}

const void *cup_data_time_budget(struct cup_plot_input *input)
{
    const struct cup_budget *budget = &input->totals->budget;
    struct cup_time_budget *plot = cup_arena_take(input->arena, 1, sizeof *plot);
    double percent[CUP_BUDGET_COUNT], whole_s = (double)cup_budget_total_ns(budget) / 1e9;
    if (!plot)
        return NULL;
    if (whole_s <= 0)
        return cup_plot_unavailable(input, "no worker thread was recorded for any time");
    cup_budget_percent(budget, percent);
    add_row(plot, "all threads' time", CUP_BUDGET_IDLE, 100, whole_s);
    for (int i = 0; i < CUP_BUDGET_COUNT; i++)
        if (budget->ns[i])
            add_row(plot, cup_budget_part_text(input->totals, i), (enum cup_budget_part)i,
                    percent[i], (double)budget->ns[i] / 1e9);
    char threads[64];
    cup_plot_set_caption(input,
                         "Wall time of %s of the workers, summed; the parts add up to all of it. "
                         "No core: ready to run, but no CPU core was free. Helper threads are not "
                         "included (cupping).",
                         cup_count_text(threads, budget->threads, "thread"));
    return plot;
}

/* ---- drawing -------------------------------------------------------------------------------- */

/* Work is green, idle time grey, and no two parts have the same colour. Parts that other plots show
 * have the same paint there (plot/tasks/prefix_times.c). */
static const enum cup_paint paints[CUP_BUDGET_COUNT] = {
    [CUP_BUDGET_TASK_CPU] = CUP_PAINT_GREEN,   [CUP_BUDGET_IO] = CUP_PAINT_SKY,
    [CUP_BUDGET_GIL] = CUP_PAINT_RED,          [CUP_BUDGET_LOCK] = CUP_PAINT_PINK,
    [CUP_BUDGET_SLEEP] = CUP_PAINT_ORANGE,     [CUP_BUDGET_POLL] = CUP_PAINT_BLUE,
    [CUP_BUDGET_RUN_DELAY] = CUP_PAINT_YELLOW, [CUP_BUDGET_FAULT] = CUP_PAINT_VIOLET,
    [CUP_BUDGET_OTHER] = CUP_PAINT_BROWN,      [CUP_BUDGET_UNTOLD] = CUP_PAINT_SAND,
    [CUP_BUDGET_BETWEEN] = CUP_PAINT_MINT,     [CUP_BUDGET_IDLE] = CUP_PAINT_GREY,
};

static void draw_row(struct cup_figure *figure, const struct cup_time_budget *plot, size_t row)
{
    char text[80], time[CUP_DURATION_TEXT];
    double percent = plot->rows[row].to - plot->rows[row].from;
    enum cup_budget_part part = plot->rows[row].part;
    struct cup_colour colour = row == 0 ? figure->theme->soft
                               : part == CUP_BUDGET_UNFINISHED
                                   ? figure->theme->ink
                                   : figure->theme->paints[paints[part]];
    cup_mark_bar(figure, row, 0, 1, plot->rows[row].from, plot->rows[row].to, colour);
    cup_duration_text(time, plot->rows[row].seconds);
    if (row)
        snprintf(text, sizeof text, "%s, %s", CUP_SHOW(percent, CUP_UNIT_PERCENT), time);
    else
        snprintf(text, sizeof text, "%s", time);
    cup_mark_bar_text(figure, row, plot->rows[row].from, plot->rows[row].to, text);
}

void cup_chart_time_budget(struct cup_figure *figure, const void *data)
{
    const struct cup_time_budget *plot = data;
    figure->x = cup_axis_exact("share of the worker threads' time", CUP_AXIS_PERCENT, 100);
    figure->x.amounts = true;
    figure->y = cup_axis_names("parts", plot->names, plot->count);
    cup_figure_open(figure);
    for (size_t i = 0; i < plot->count; i++)
        draw_row(figure, plot, i);
    cup_figure_close(figure);
}

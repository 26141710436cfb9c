#include <stdio.h>
#include <string.h>

#include "plot/figure/figure.h"
#include "plot/figure/marks.h"
#include "plot/time/event_rate.h"

void cup_chart_event_rate(struct cup_figure *figure, const void *data)
{
    const struct cup_event_rate *plot = data;
    const struct cup_colour *paints = figure->theme->paints;
    const struct cup_stroke rate = {
        .colour = paints[CUP_PAINT_BLUE], .steps = true, .filled = true};
    const struct cup_stroke per_busy = {
        .colour = paints[CUP_PAINT_RED], .right = true, .steps = true};
    figure->x = cup_run_axis(plot->seconds);
    figure->y = (struct cup_axis){.name = "events per second",
                                  .unit = CUP_AXIS_HERTZ,
                                  .high = plot->rate.most * 1.05,
                                  .coloured = true,
                                  .colour = rate.colour};
    figure->right = (struct cup_axis){.name = "per busy thread",
                                      .unit = CUP_AXIS_HERTZ,
                                      .high = plot->per_busy.most * 1.05,
                                      .coloured = true,
                                      .colour = per_busy.colour};
    cup_figure_add_key(figure, "all", 3, CUP_KEY_LINE, rate.colour);
    cup_figure_add_key(figure, "per busy thread", 15, CUP_KEY_LINE, per_busy.colour);
    cup_figure_open(figure);
    cup_mark_line(figure, plot->rate.time_s, plot->rate.values, plot->rate.count, &rate);
    cup_mark_line(figure, plot->per_busy.time_s, plot->per_busy.values, plot->per_busy.count,
                  &per_busy);
    cup_figure_close(figure);
}

static void add_time_key(struct cup_figure *figure, const char *name, double seconds,
                         struct cup_colour colour)
{
    char text[64], time[CUP_DURATION_TEXT];
    snprintf(text, sizeof text, "%.12s %s", name, cup_duration_text(time, seconds));
    cup_figure_add_key(figure, text, strlen(text), CUP_KEY_DASHES, colour);
}

void cup_chart_progress(struct cup_figure *figure, const void *data)
{
    const struct cup_progress *plot = data;
    const struct cup_colour *paints = figure->theme->paints;
    figure->x = cup_run_axis(plot->seconds);
    figure->y = (struct cup_axis){.name = plot->by_events ? "events done" : "chunks done",
                                  .unit = CUP_AXIS_PERCENT,
                                  .exact = true,
                                  .high = 100};
    add_time_key(figure, "50 % after", plot->t50_s, paints[CUP_PAINT_ORANGE]);
    add_time_key(figure, "90 % after", plot->t90_s, paints[CUP_PAINT_RED]);
    add_time_key(figure, "99 % after", plot->t99_s, paints[CUP_PAINT_PINK]);
    cup_figure_open(figure);
    cup_mark_upright(figure, plot->t50_s, paints[CUP_PAINT_ORANGE]);
    cup_mark_upright(figure, plot->t90_s, paints[CUP_PAINT_RED]);
    cup_mark_upright(figure, plot->t99_s, paints[CUP_PAINT_PINK]);
    cup_mark_line(figure, plot->time_s, plot->percent, plot->count,
                  &(struct cup_stroke){.colour = paints[CUP_PAINT_BLUE], .steps = true});
    cup_figure_close(figure);
}

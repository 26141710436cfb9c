#include <math.h>

#include "analysis/base/units.h"
#include "plot/figure/figure.h"
#include "plot/figure/marks.h"
#include "plot/shared/plot.h"
#include "plot/time/time_plots.h"

const void *cup_data_scaling(struct cup_plot_input *input)
{
    struct cup_ramp_shown *plot = cup_arena_take(input->arena, 1, sizeof *plot);
    struct cup_ramp ramp = cup_ramp_make(input->totals);
    if (!plot)
        return NULL;
    if (ramp.missing)
        return cup_plot_unavailable(input, "%s", ramp.missing);
    for (unsigned i = 0; i < ramp.count; i++) {
        const struct cup_ramp_step *step = &ramp.steps[i];
        if (!step->sustained)
            continue;
        plot->busy[plot->count] = cup_ramp_busy(step);
        plot->rate[plot->count] = cup_ramp_rate(&ramp, step);
        plot->per_thread[plot->count] = cup_ramp_rate_per_thread(&ramp, step);
        plot->most_busy = fmax(plot->most_busy, plot->busy[plot->count]);
        plot->most_rate = fmax(plot->most_rate, plot->rate[plot->count]);
        plot->most_per_thread = fmax(plot->most_per_thread, plot->per_thread[plot->count]);
        plot->count++;
    }
    if (plot->count < 2)
        return cup_plot_unavailable(input,
                                    "about the same number of threads was busy all the time");
    plot->by_events = ramp.by_events;
    cup_plot_set_caption(
        input,
        "%s of chunks whose result was used, by the number of threads that were busy at the time, "
        "from the first chunk to the last, in bins of %s. Numbers of threads that were busy for "
        "less than 2 %% of the time are left out (cupping).",
        ramp.by_events ? "Events" : "Bytes", CUP_SHOW(ramp.bin_s, CUP_UNIT_SECONDS));
    return plot;
}

/* ---- drawing -------------------------------------------------------------------------------- */

void cup_chart_scaling(struct cup_figure *figure, const void *data)
{
    const struct cup_ramp_shown *plot = data;
    enum cup_axis_unit unit = plot->by_events ? CUP_AXIS_HERTZ : CUP_AXIS_BYTE_RATE;
    const struct cup_stroke rate = {.colour = figure->theme->paints[CUP_PAINT_BLUE]};
    const struct cup_stroke each = {.colour = figure->theme->paints[CUP_PAINT_RED], .right = true};
    figure->x = cup_axis_up_to("busy threads", CUP_AXIS_NUMBER, plot->most_busy);
    figure->y =
        cup_axis_coloured(cup_axis_up_to(plot->by_events ? "events per second" : "bytes per second",
                                         unit, plot->most_rate),
                          rate.colour);
    figure->right = cup_axis_coloured(
        cup_axis_up_to("per busy thread", unit, plot->most_per_thread), each.colour);
    cup_figure_add_key(figure, CUP_KEY_LINE, rate.colour, "all");
    cup_figure_add_key(figure, CUP_KEY_LINE, each.colour, "per busy thread");
    cup_figure_open(figure);
    cup_mark_line(figure, plot->busy, plot->rate, plot->count, &rate);
    cup_mark_line(figure, plot->busy, plot->per_thread, plot->count, &each);
    for (size_t i = 0; i < plot->count; i++)
        cup_mark_dot(figure, plot->busy[i], plot->rate[i], rate.colour, 1);
    cup_figure_close(figure);
}

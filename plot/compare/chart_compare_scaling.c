#include <math.h>
#include <string.h>

#include "plot/compare/compared_scaling.h"
#include "plot/figure/figure.h"
#include "plot/figure/marks.h"

/* If the sizes differ by this factor or more, linear axes would put all small runs into a corner.
 */
static const double many_times = 12;

static bool is_log(const struct cup_compared_scaling *plot)
{
    return plot->count && plot->size[0] > 0 && plot->most_size / plot->size[0] >= many_times;
}

static double least_of(const double *values, size_t count)
{
    double least = NAN;
    for (size_t i = 0; i < count; i++)
        least = values[i] > 0 ? fmin(least, values[i]) : least;
    return least;
}

static void set_axes(struct cup_figure *figure, const struct cup_compared_scaling *plot)
{
    bool log = is_log(plot);
    double high = fmax(plot->most_rate, plot->target) * 1.1;
    figure->x = (struct cup_axis){.name = plot->size_name,
                                  .unit = CUP_AXIS_COUNT,
                                  .log = log,
                                  .low = log ? plot->size[0] / 1.5 : 0,
                                  .high = plot->most_size * (log ? 1.5 : 1.12)};
    figure->y = (struct cup_axis){.name = plot->rate_name,
                                  .unit = plot->by_events ? CUP_AXIS_HERTZ : CUP_AXIS_BIT_RATE,
                                  .log = log,
                                  .low = log ? least_of(plot->rate, plot->count) / 1.5 : 0,
                                  .high = high};
}

/* Proportional growth is a straight line on linear and on log axes. */
static void draw_ideal(struct cup_figure *figure, const struct cup_compared_scaling *plot,
                       const struct cup_stroke *stroke)
{
    double low = figure->x.scale.low, high = figure->x.scale.high;
    const double sizes[] = {low, high}, rates[] = {low * plot->ideal, high * plot->ideal};
    cup_mark_line(figure, sizes, rates, 2, stroke);
}

/* Labels a run beside its dot: below the line if it rises from there, above if it falls. */
static void write_run(struct cup_figure *figure, const struct cup_compared_scaling *plot, size_t i)
{
    const struct cup_scale *scale = &figure->y.scale;
    bool falls = plot->joined && i + 1 < plot->count && plot->rate[i + 1] < plot->rate[i];
    double share =
        (falls ? 1 : -1) * figure->theme->caption / fmax(fabs(scale->to - scale->from), 1);
    double at = scale->log ? plot->rate[i] * pow(scale->high / scale->low, share)
                           : plot->rate[i] + share * (scale->high - scale->low);
    cup_mark_text(figure, plot->size[i], at, plot->texts[i]);
}

void cup_chart_compare_scaling(struct cup_figure *figure, const void *data)
{
    const struct cup_compared_scaling *plot = data;
    const struct cup_colour *paints = figure->theme->paints;
    const struct cup_stroke runs = {.colour = paints[CUP_PAINT_BLUE], .thin = true};
    const struct cup_stroke ideal = {.colour = paints[CUP_PAINT_GREY], .dashed = true};
    set_axes(figure, plot);
    cup_figure_add_key(figure, "runs", 4, CUP_KEY_DOT, runs.colour);
    cup_figure_add_key(figure, "as the smallest, scaled up", 26, CUP_KEY_DASHES, ideal.colour);
    if (plot->target > 0)
        cup_figure_add_key(figure, plot->target_name, strlen(plot->target_name), CUP_KEY_DASHES,
                           paints[CUP_PAINT_RED]);
    cup_figure_open(figure);
    draw_ideal(figure, plot, &ideal);
    if (plot->target > 0)
        cup_mark_level(figure, plot->target, paints[CUP_PAINT_RED]);
    if (plot->joined)
        cup_mark_line(figure, plot->size, plot->rate, plot->count, &runs);
    for (size_t i = 0; i < plot->count; i++)
        cup_mark_dot(figure, plot->size[i], plot->rate[i], runs.colour, 1);
    for (size_t i = 0; i < plot->count; i++)
        write_run(figure, plot, i);
    cup_figure_close(figure);
}

#include "plot/shared/curves.h"

#include <math.h>
#include <string.h>

#include "plot/figure/figure.h"
#include "plot/figure/marks.h"

void cup_curves_add(struct cup_curves *curves, struct cup_curve curve)
{
    if (curves->count == CUP_CURVES)
        return;
    for (size_t i = 0; i < curve.count; i++)
        if (isfinite(curve.values[i]))
            curves->most = fmax(curves->most, curve.values[i]);
    curves->curves[curves->count++] = curve;
}

/* ---- drawing -------------------------------------------------------------------------------- */

static void draw_key(struct cup_figure *figure, const struct cup_curve *curve,
                     struct cup_colour colour)
{
    enum cup_key_mark mark = curve->kind == CUP_CURVE_BAND    ? CUP_KEY_BAND
                             : curve->kind == CUP_CURVE_LEVEL ? CUP_KEY_DASHES
                                                              : CUP_KEY_LINE;
    cup_figure_add_key(figure, mark, colour, "%s", curve->name);
}

static void draw_curve(struct cup_figure *figure, const struct cup_curve *curve,
                       struct cup_colour colour)
{
    bool steps = curve->kind == CUP_CURVE_STEPS;
    if (curve->kind == CUP_CURVE_BAND)
        cup_mark_band(figure, curve->time_s, curve->low, curve->values, curve->count, colour);
    else if (curve->kind == CUP_CURVE_LEVEL && curve->count)
        cup_mark_level(figure, curve->values[0], colour);
    else
        cup_mark_line(figure, curve->time_s, curve->values, curve->count,
                      &(struct cup_stroke){.colour = colour, .steps = steps, .filled = steps});
}

void cup_chart_curves(struct cup_figure *figure, const void *data)
{
    const struct cup_curves *plot = data;
    bool whole = plot->unit == CUP_AXIS_PERCENT && plot->most <= 100;
    double high = whole ? 100 : plot->most * 1.05;
    figure->x = cup_run_axis(plot->seconds);
    figure->y =
        (struct cup_axis){.name = plot->name, .unit = plot->unit, .exact = whole, .high = high};
    if (plot->bits) { /* both axes end at the same value, not at a tick: they are one scale */
        figure->y.exact = true;
        figure->right = cup_axis_exact("in bits", CUP_AXIS_BIT_RATE, 8 * high);
    }
    for (size_t i = 0; i < plot->count; i++)
        draw_key(figure, &plot->curves[i], figure->theme->paints[plot->curves[i].paint]);
    cup_figure_open(figure);
    for (size_t i = 0; i < plot->count; i++)
        draw_curve(figure, &plot->curves[i], figure->theme->paints[plot->curves[i].paint]);
    cup_figure_close(figure);
}

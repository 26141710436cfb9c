#include "plot/shared/curves.h"

#include <math.h>
#include <string.h>

#include "plot/figure/figure.h"
#include "plot/figure/marks.h"

void cup_curves_add(struct cup_curves *curves, struct cup_curve curve)
{
    double *most = curve.right ? &curves->right_most : &curves->most;
    if (curves->count == CUP_CURVES)
        return;
    for (size_t i = 0; i < curve.count; i++)
        if (isfinite(curve.values[i]))
            *most = fmax(*most, curve.values[i]);
    curves->curves[curves->count++] = curve;
}

struct cup_curve cup_curve_of(const char *name, enum cup_paint paint, enum cup_curve_kind kind,
                              const struct cup_time_line *line)
{
    return (struct cup_curve){.name = name,
                              .paint = paint,
                              .kind = kind,
                              .time_s = line->time_s,
                              .values = line->values,
                              .count = line->count};
}

/* ---- drawing -------------------------------------------------------------------------------- */

static const enum cup_key_mark marks[] = {
    [CUP_CURVE_LINE] = CUP_KEY_LINE,     [CUP_CURVE_STEPS] = CUP_KEY_LINE,
    [CUP_CURVE_DASHES] = CUP_KEY_DASHES, [CUP_CURVE_FILLED] = CUP_KEY_LINE,
    [CUP_CURVE_BAND] = CUP_KEY_BAND,     [CUP_CURVE_LEVEL] = CUP_KEY_DASHES,
    [CUP_CURVE_NOTE] = CUP_KEY_NONE,
};

static void draw_curve(struct cup_figure *figure, const struct cup_curve *curve)
{
    struct cup_colour colour = figure->theme->paints[curve->paint];
    const struct cup_stroke stroke = {.colour = colour,
                                      .right = curve->right,
                                      .dashed = curve->kind == CUP_CURVE_DASHES,
                                      .steps = curve->kind != CUP_CURVE_LINE,
                                      .filled = curve->kind == CUP_CURVE_FILLED};
    if (curve->kind == CUP_CURVE_BAND)
        cup_mark_band(figure, curve->time_s, curve->low, curve->values, curve->count, colour);
    else if (curve->kind == CUP_CURVE_LEVEL && curve->count)
        cup_mark_level(figure, curve->values[0], colour);
    else
        cup_mark_line(figure, curve->time_s, curve->values, curve->count, &stroke);
}

static void colour_axis(struct cup_figure *figure, struct cup_axis *axis,
                        const struct cup_curves *plot)
{
    for (size_t i = plot->count; i-- > 0;)
        if (plot->curves[i].right == (axis == &figure->right))
            *axis = cup_axis_coloured(*axis, figure->theme->paints[plot->curves[i].paint]);
}

static void set_axes(struct cup_figure *figure, const struct cup_curves *plot)
{
    bool whole = plot->whole && plot->most <= 100;
    double high = whole ? 100 : plot->most * 1.05;
    figure->x = cup_run_axis(plot->seconds);
    figure->y =
        (struct cup_axis){.name = plot->name, .unit = plot->unit, .exact = whole, .high = high};
    if (plot->bits) { /* both axes end at the same value, not at a tick: they are one scale */
        figure->y.exact = true;
        figure->right = cup_axis_exact("in bits", CUP_AXIS_BIT_RATE, 8 * high);
    }
    if (plot->right_name && plot->right_share > 0) {
        high = 1.05 * fmax(plot->most, plot->right_most * plot->right_share);
        figure->y = cup_axis_exact(plot->name, plot->unit, high);
        figure->right =
            cup_axis_exact(plot->right_name, plot->right_unit, high / plot->right_share);
    } else if (plot->right_name)
        figure->right = cup_axis_up_to(plot->right_name, plot->right_unit, plot->right_most);
    if (!plot->coloured)
        return;
    colour_axis(figure, &figure->y, plot);
    colour_axis(figure, &figure->right, plot);
}

void cup_chart_curves(struct cup_figure *figure, const void *data)
{
    const struct cup_curves *plot = data;
    set_axes(figure, plot);
    for (const struct cup_curve *curve = plot->curves; curve < plot->curves + plot->count; curve++)
        if (curve->name)
            cup_figure_add_key(figure, marks[curve->kind], figure->theme->paints[curve->paint],
                               "%s", curve->name);
    cup_figure_open(figure);
    for (unsigned behind = CUP_CURVE_LAYERS; behind-- > 0;)
        for (size_t i = 0; i < plot->count; i++)
            if (plot->curves[i].behind == behind)
                draw_curve(figure, &plot->curves[i]);
    cup_figure_close(figure);
}

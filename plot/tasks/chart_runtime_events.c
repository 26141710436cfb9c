#include <math.h>
#include <stdio.h>
#include <string.h>

#include "plot/figure/figure.h"
#include "plot/figure/marks.h"
#include "plot/figure/swarm.h"
#include "plot/tasks/runtime_events.h"

/* Draws a few lines of equal event rate through the origin, at 1, 2 or 5 times a power of ten,
 * around the rate of most chunks. */
static void draw_rates(struct cup_figure *figure, const struct cup_runtime_events *plot)
{
    static const double digits[] = {1, 2, 5};
    double rate = plot->most_events / plot->most_s, decade = pow(10, floor(log10(rate)) - 1);
    for (int i = 0; i < 12; i++) {
        int power = i / 3;
        double hertz = decade * pow(10, power) * digits[i % 3];
        double events = fmin(figure->x.scale.high, hertz * figure->y.scale.high);
        const double x[] = {0, events}, y[] = {0, events / hertz};
        if (hertz < rate / 3 || hertz > rate * 6)
            continue;
        char text[24];
        cup_mark_line(figure, x, y, 2,
                      &(struct cup_stroke){.colour = figure->theme->soft, .thin = true});
        /* At the corner there is no room above the line's end: write before it. */
        bool corner = x[1] > 0.9 * figure->x.scale.high && y[1] > 0.9 * figure->y.scale.high;
        double at = corner ? 0.93 : 1;
        cup_mark_text(figure, at * x[1], at * y[1], cup_tick_text(text, hertz, CUP_AXIS_HERTZ));
    }
}

static void draw_dots(struct cup_figure *figure, const struct cup_runtime_events *plot)
{
    struct cup_swarm swarm;
    cup_swarm_begin(&swarm, figure, plot->chunks.count);
    for (size_t i = 0; i < plot->chunks.count; i++) {
        const struct cup_chunk_point *point = &plot->chunks.points[i];
        cup_swarm_dot(&swarm, point->events, point->wall_s,
                      cup_theme_paint(figure->theme, point->group));
    }
    cup_swarm_end(&swarm);
}

static void draw_fit(struct cup_figure *figure, const struct cup_runtime_events *plot)
{
    const double x[] = {0, figure->x.scale.high};
    const double y[] = {plot->offset_s, plot->offset_s + plot->slope_s * x[1]};
    cup_mark_line(figure, x, y, 2,
                  &(struct cup_stroke){.colour = figure->theme->ink, .dashed = true});
}

void cup_chart_runtime_events(struct cup_figure *figure, const void *data)
{
    const struct cup_runtime_events *plot = data;
    bool exact = plot->density.cells != NULL; /* the cells of the density fill the axes */
    figure->x = (struct cup_axis){.name = "events in the chunk",
                                  .unit = CUP_AXIS_COUNT,
                                  .exact = exact,
                                  .high = plot->top_events};
    figure->y = (struct cup_axis){
        .name = "wall time", .unit = CUP_AXIS_SECONDS, .exact = exact, .high = plot->top_s};
    if (plot->density.cells)
        cup_density_key(figure, &plot->density);
    else
        cup_chunk_groups_key(figure, &plot->chunks, CUP_KEY_DOT);
    cup_figure_add_key(figure, "equal event rate", 16, CUP_KEY_THIN, figure->theme->soft);
    if (plot->fitted || plot->with_median)
        cup_figure_add_key(figure, plot->fitted ? "fit" : "median", plot->fitted ? 3 : 6,
                           CUP_KEY_DASHES, figure->theme->ink);
    cup_figure_open(figure);
    draw_rates(figure, plot);
    if (plot->density.cells)
        cup_density_draw(figure, &plot->density);
    else
        draw_dots(figure, plot);
    if (plot->fitted || plot->with_median)
        draw_fit(figure, plot);
    for (size_t i = 0; i < plot->outlier_count; i++)
        cup_mark_name(figure, plot->outliers[i].events, plot->outliers[i].wall_s,
                      plot->outliers[i].name);
    cup_figure_close(figure);
}

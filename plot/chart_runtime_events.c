#include <math.h>
#include <string.h>

#include "plot/charts.h"
#include "plot/marks.h"
#include "plot/runtime_events.h"

void cup_chunk_groups_key(struct cup_figure *figure, const struct cup_chunk_points *points)
{
    for (size_t i = 0; i < points->group_count; i++) {
        const struct cup_text *name = &points->groups[i].name;
        cup_figure_key(figure, name->length ? name->bytes : "no dataset",
                       name->length ? name->length : 10, CUP_KEY_DOT,
                       cup_look_paint(figure->look, (unsigned)i));
    }
}

static void draw_dots(struct cup_figure *figure, const struct cup_runtime_events *plot)
{
    double opacity = plot->chunks.count > 500 ? 0.45 : 0.8;
    for (size_t i = 0; i < plot->chunks.count; i++) {
        const struct cup_chunk_point *point = &plot->chunks.points[i];
        cup_mark_dot(figure, point->events, point->wall_s,
                     cup_look_paint(figure->look, point->group), opacity);
    }
}

static void draw_fit(struct cup_figure *figure, const struct cup_runtime_events *plot)
{
    const double x[] = {0, figure->x.scale.high};
    const double y[] = {plot->offset_s, plot->offset_s + plot->slope_s * x[1]};
    cup_mark_line(figure, x, y, 2,
                  &(struct cup_stroke){.colour = figure->look->ink, .dashed = true});
}

void cup_chart_runtime_events(struct cup_figure *figure, const void *data)
{
    const struct cup_runtime_events *plot = data;
    bool exact = plot->density != NULL; /* its cells fill the axes */
    figure->x = (struct cup_axis){.name = "events in the chunk",
                                  .unit = CUP_AXIS_COUNT,
                                  .exact = exact,
                                  .high = plot->most_events};
    figure->y = (struct cup_axis){
        .name = "wall time", .unit = CUP_AXIS_SECONDS, .exact = exact, .high = plot->most_s};
    if (!plot->density)
        cup_chunk_groups_key(figure, &plot->chunks);
    if (plot->fitted)
        cup_figure_key(figure, "fit", 3, CUP_KEY_DASHES, figure->look->ink);
    cup_figure_open(figure);
    if (plot->density)
        cup_mark_density(figure, plot->density, CUP_GRID_X, CUP_GRID_Y);
    else
        draw_dots(figure, plot);
    if (plot->fitted)
        draw_fit(figure, plot);
    for (size_t i = 0; i < plot->outlier_count; i++)
        cup_mark_text(figure, plot->outliers[i].events, plot->outliers[i].wall_s,
                      plot->outliers[i].name);
    cup_figure_close(figure);
}

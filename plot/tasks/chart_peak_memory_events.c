#include <math.h>
#include <string.h>

#include "plot/figure/figure.h"
#include "plot/figure/marks.h"
#include "plot/figure/swarm.h"
#include "plot/tasks/peak_memory.h"

static void draw_dots(struct cup_figure *figure, const struct cup_peak_memory *plot)
{
    struct cup_swarm swarm;
    cup_swarm_begin(&swarm, figure, plot->chunks.count);
    for (size_t i = 0; i < plot->chunks.count; i++)
        cup_swarm_dot(&swarm, plot->chunks.points[i].events, plot->bytes[i],
                      cup_theme_paint(figure->theme, plot->chunks.points[i].group));
    cup_swarm_end(&swarm);
}

static void draw_fit(struct cup_figure *figure, const struct cup_peak_memory *plot)
{
    const double x[] = {0, figure->x.scale.high};
    const double y[] = {plot->bytes_at_mean + plot->slope * (x[0] - plot->mean_events),
                        plot->bytes_at_mean + plot->slope * (x[1] - plot->mean_events)};
    cup_mark_line(figure, x, y, 2,
                  &(struct cup_stroke){.colour = figure->theme->ink, .dashed = true});
}

static void draw_keys(struct cup_figure *figure, const struct cup_peak_memory *plot)
{
    if (plot->density.cells)
        cup_density_key(figure, &plot->density);
    else
        cup_chunk_groups_key(figure, &plot->chunks, CUP_KEY_DOT);
    if (plot->fitted)
        cup_figure_add_key(figure, "fit", 3, CUP_KEY_DASHES, figure->theme->ink);
    if (plot->limit > 0)
        cup_figure_add_key(figure, "limit for one chunk", 19, CUP_KEY_DASHES,
                           figure->theme->paints[CUP_PAINT_RED]);
    if (plot->far_above[0])
        cup_figure_add_key(figure, plot->far_above, strlen(plot->far_above), CUP_KEY_NONE,
                           figure->theme->soft);
}

void cup_chart_peak_memory_events(struct cup_figure *figure, const void *data)
{
    const struct cup_peak_memory *plot = data;
    bool exact = plot->density.cells != NULL; /* the cells of the density fill the axes */
    figure->x = (struct cup_axis){.name = "events in the chunk",
                                  .unit = CUP_AXIS_COUNT,
                                  .exact = exact,
                                  .high = plot->top_events};
    figure->y = (struct cup_axis){
        .name = "peak heap", .unit = CUP_AXIS_BYTES, .exact = exact, .high = plot->top_bytes};
    draw_keys(figure, plot);
    cup_figure_open(figure);
    if (plot->density.cells)
        cup_density_draw(figure, &plot->density);
    else
        draw_dots(figure, plot);
    if (plot->fitted)
        draw_fit(figure, plot);
    if (plot->limit > 0)
        cup_mark_level(figure, plot->limit, figure->theme->paints[CUP_PAINT_RED]);
    cup_figure_close(figure);
}

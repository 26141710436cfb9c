#include <string.h>

#include "plot/figure/figure.h"
#include "plot/figure/marks.h"
#include "plot/io/bytes_per_chunk.h"

/* Draws an outline, so that the columns behind it stay visible. */
static void draw_outline(struct cup_figure *figure, const struct cup_bytes_per_chunk *plot)
{
    const struct cup_bins *bins = &plot->compressed.bins;
    const struct cup_stroke stroke = {.colour = figure->theme->ink, .steps = true};
    double last = 0;
    for (size_t i = 0; i < bins->count; i++) {
        const double x[] = {bins->edges[i], bins->edges[i], bins->edges[i + 1]};
        const double y[] = {last, plot->delivered[i], plot->delivered[i]};
        if (last > 0 || plot->delivered[i] > 0)
            cup_mark_line(figure, x, y, 3, &stroke);
        last = plot->delivered[i];
    }
    const double x[] = {bins->edges[bins->count], bins->edges[bins->count]}, y[] = {last, 0};
    cup_mark_line(figure, x, y, 2, &stroke);
}

void cup_chart_bytes_per_chunk(struct cup_figure *figure, const void *data)
{
    const struct cup_bytes_per_chunk *plot = data;
    const struct cup_bins *bins = &plot->compressed.bins;
    static const char delivered[] = "delivered";
    double half = (bins->edges[1] - bins->edges[0]) / 2; /* keeps the columns off the axis */
    double low = bins->edges[0] - half, high = bins->edges[bins->count] + half;
    figure->x = (struct cup_axis){.name = "bytes read by a chunk",
                                  .unit = CUP_AXIS_BYTES,
                                  .low = low < high / 2 ? 0 : low,
                                  .high = high};
    figure->y =
        (struct cup_axis){.name = "chunks", .unit = CUP_AXIS_COUNT, .high = plot->most * 1.05};
    cup_chunk_groups_key(figure, &plot->compressed.chunks, CUP_KEY_BOX);
    cup_figure_add_key(figure, delivered, strlen(delivered), CUP_KEY_LINE, figure->theme->ink);
    cup_figure_open(figure);
    cup_grouped_draw(figure, &plot->compressed);
    draw_outline(figure, plot);
    cup_figure_close(figure);
}

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "plot/figure/figure.h"
#include "plot/figure/plane.h"
#include "plot/io/io_map.h"

static struct cup_plane plane_of(const struct cup_figure *figure, const struct cup_io_map *plot,
                                 size_t row)
{
    return cup_plane_of(figure, row, plot->row_count, plot->sizes[row]);
}

static void draw_marks(struct cup_figure *figure, const struct cup_io_map *plot, bool joined,
                       bool again, struct cup_colour colour)
{
    for (size_t i = 0; i < plot->mark_count; i++) {
        const struct cup_io_mark *mark = &plot->marks[i];
        const struct cup_plane_part at = {mark->from_s, mark->to_s, mark->low, mark->high};
        const struct cup_plane plane = plane_of(figure, plot, mark->row);
        if (mark->again != again || mark->joined != joined)
            continue;
        if (mark->joined)
            cup_plane_box(figure, &plane, &at, colour);
        else
            cup_plane_line(figure, &plane, &at, colour);
    }
}

/* Draws repeated reads last, on top of all others, because they matter the most. */
static void draw_all_marks(struct cup_figure *figure, const struct cup_io_map *plot,
                           struct cup_colour fresh, struct cup_colour again)
{
    draw_marks(figure, plot, true, false, fresh);
    draw_marks(figure, plot, true, true, again);
    draw_marks(figure, plot, false, false, fresh);
    draw_marks(figure, plot, false, true, again);
}

/* Strengths follow the logarithm of the bytes, over three powers of ten. */
static double strength(double bytes, double most)
{
    return bytes > 0 && most > 0 ? fmin(1, fmax(0.2, 1 + log10(bytes / most) / 3 * 0.8)) : 0;
}

static void draw_cells(struct cup_figure *figure, const struct cup_io_map *plot, size_t row,
                       struct cup_colour fresh, struct cup_colour again)
{
    size_t count = plot->cell_rows * CUP_IO_COLUMNS;
    const struct cup_io_cell *from = plot->cells + row * count;
    struct cup_cell *cells = calloc(count + 1, sizeof *cells);
    const struct cup_plane plane = plane_of(figure, plot, row);
    if (!cells) {
        figure->canvas->out_of_memory = true;
        return;
    }
    for (size_t i = 0; i < count; i++)
        cells[i] = (struct cup_cell){from[i].again > from[i].fresh ? again : fresh,
                                     strength(from[i].again + from[i].fresh, plot->most)};
    cup_plane_cells(figure, &plane, cells, CUP_IO_COLUMNS, plot->cell_rows);
    free(cells);
}

static void set_axes(struct cup_figure *figure, const struct cup_io_map *plot)
{
    figure->x = cup_run_axis(plot->seconds);
    if (plot->since_first_read) {
        figure->x.unit = CUP_AXIS_SECONDS;
        figure->x.name = plot->row_count > 1 ? "time since each file was first read"
                                             : "time since the file was first read";
    }
    if (plot->row_count == 1)
        figure->y = (struct cup_axis){.name = "offset in the file",
                                      .unit = CUP_AXIS_BYTES,
                                      .exact = true,
                                      .high = plot->sizes[0]};
    else
        figure->y =
            (struct cup_axis){.name = "files", .names = plot->names, .name_count = plot->row_count};
}

static void add_keys(struct cup_figure *figure, const struct cup_io_map *plot,
                     struct cup_colour fresh, struct cup_colour again)
{
    enum cup_key_mark mark = plot->cells ? CUP_KEY_BOX : CUP_KEY_LINE;
    cup_figure_add_key(figure, "read for the first time", 23, mark, fresh);
    cup_figure_add_key(figure, "read again", 10, mark, again);
    if (plot->any_joined && !plot->cells)
        cup_figure_add_key(figure, "read somewhere in the box", 25, CUP_KEY_BAND, fresh);
}

void cup_chart_io_map(struct cup_figure *figure, const void *data)
{
    const struct cup_io_map *plot = data;
    struct cup_colour fresh = figure->theme->paints[CUP_PAINT_BLUE];
    struct cup_colour again = figure->theme->paints[CUP_PAINT_ORANGE];
    set_axes(figure, plot);
    add_keys(figure, plot, fresh, again);
    cup_figure_open(figure);
    for (size_t row = 0; row < plot->row_count; row++) {
        const struct cup_plane plane = plane_of(figure, plot, row);
        if (plot->cells)
            draw_cells(figure, plot, row, fresh, again);
        if (row + 1 < plot->row_count)
            cup_plane_border(figure, &plane);
    }
    draw_all_marks(figure, plot, fresh, again);
    cup_figure_close(figure);
}

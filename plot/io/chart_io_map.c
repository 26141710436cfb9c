#include <math.h>
#include <stdlib.h>

#include "plot/figure/figure.h"
#include "plot/io/io_plots.h"

/* A plane: the row of a file, or the whole area of the figure, with a scale of offsets of its own.
 * The x scale is the figure's. */
struct plane {
    struct cup_box box;
    double high; /* value at the top; the bottom is 0 */
};

/* A range of x (from, to) and of the plane's values (low, high). NAN: left out. */
struct plane_part {
    double from, to, low, high;
};

static struct plane plane_of(const struct cup_figure *figure, const struct cup_io_map *plot,
                             size_t row)
{
    const struct cup_box *area = &figure->area;
    size_t rows = plot->row_count;
    double height = area->height / (double)(rows ? rows : 1), high = plot->sizes[row];
    double seam = rows > 1 ? fmin(figure->theme->gap * 0.4, height * 0.05) : 0;
    return (struct plane){
        {area->left, area->top + (double)row * height + seam, area->width, height - 2 * seam},
        isfinite(high) && high > 0 ? high : 1};
}

static double place_value(const struct plane *plane, double value)
{
    double share = fmin(fmax(value / plane->high, 0), 1);
    return plane->box.top + plane->box.height * (1 - share);
}

/* Calculates the place of a range on the paper. False: it lies outside of the plane. */
static bool place_range(const struct cup_figure *figure, const struct plane *plane,
                        const struct plane_part *at, struct cup_box *box)
{
    double left = cup_x(figure, at->from), right = cup_x(figure, at->to);
    double end = plane->box.left + plane->box.width;
    if (!(right >= left) || !(at->high >= at->low) || left > end || right < plane->box.left)
        return false;
    left = fmax(left, plane->box.left);
    right = fmin(right, end);
    double top = place_value(plane, at->high), bottom = place_value(plane, at->low);
    *box = (struct cup_box){left, top, right - left, bottom - top};
    return true;
}

/* Adds the hover text "3:20 to 3:22, 1.2 MB to 5.6 MB". */
static void add_range_hover(struct cup_figure *figure, const struct plane_part *at,
                            struct cup_box box, struct cup_colour colour)
{
    char from[CUP_DURATION_TEXT], to[CUP_DURATION_TEXT], low[24], high[24];
    char text[sizeof(struct cup_hover){0}.text];
    snprintf(
        text, sizeof text, "%s to %s, %s to %s", cup_value_text(from, at->from, figure->x.unit),
        cup_value_text(to, at->to, figure->x.unit), cup_tick_text(low, at->low, CUP_AXIS_BYTES),
        cup_tick_text(high, at->high, CUP_AXIS_BYTES));
    cup_canvas_add_hover(figure->canvas, box, colour, text);
}

/* Draws a line from the range's lower left to its upper right; a very short one becomes a small
 * box.
 */
static void draw_line(struct cup_figure *figure, const struct plane *plane,
                      const struct plane_part *at, struct cup_colour colour)
{
    double width = figure->theme->line;
    struct cup_box box;
    if (!place_range(figure, plane, at, &box))
        return;
    const struct cup_point points[] = {{box.left, box.top + box.height},
                                       {box.left + box.width, box.top}};
    if (hypot(box.width, box.height) < width)
        cup_canvas_box(figure->canvas,
                       (struct cup_box){box.left + box.width / 2 - width / 2,
                                        box.top + box.height / 2 - width / 2, width, width},
                       colour, 1);
    else
        cup_canvas_line(figure->canvas, points, 2, colour, width, 0);
    add_range_hover(figure, at, box, colour);
}

static void draw_box(struct cup_figure *figure, const struct plane *plane,
                     const struct plane_part *at, struct cup_colour colour)
{
    double least = figure->theme->line;
    struct cup_box box;
    if (!place_range(figure, plane, at, &box))
        return;
    box.width = fmax(box.width, least);
    box.height = fmax(box.height, least);
    cup_canvas_box(figure->canvas, box, colour, 0.35);
    add_range_hover(figure, at, box, colour);
}

/* Draws a thin line at the bottom of the plane. */
static void draw_border(struct cup_figure *figure, const struct plane *plane)
{
    double below = plane->box.top + plane->box.height, right = plane->box.left + plane->box.width;
    const struct cup_point points[] = {{plane->box.left, below}, {right, below}};
    cup_canvas_line(figure->canvas, points, 2, figure->theme->grid, figure->theme->hair, 0);
}

/* ---- the map -------------------------------------------------------------------------------- */

static void draw_marks(struct cup_figure *figure, const struct cup_io_map *plot, bool joined,
                       bool again, struct cup_colour colour)
{
    for (size_t i = 0; i < plot->mark_count; i++) {
        const struct cup_io_mark *mark = &plot->marks[i];
        const struct plane_part at = {mark->from_s, mark->to_s, mark->low, mark->high};
        const struct plane plane = plane_of(figure, plot, mark->row);
        if (mark->again != again || mark->joined != joined)
            continue;
        if (mark->joined)
            draw_box(figure, &plane, &at, colour);
        else
            draw_line(figure, &plane, &at, colour);
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
    if (!cells) {
        figure->canvas->out_of_memory = true;
        return;
    }
    for (size_t i = 0; i < count; i++)
        cells[i] = (struct cup_cell){from[i].again > from[i].fresh ? again : fresh,
                                     strength(from[i].again + from[i].fresh, plot->most)};
    cup_canvas_cells(figure->canvas, plane_of(figure, plot, row).box, cells, CUP_IO_COLUMNS,
                     plot->cell_rows);
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
        figure->y = cup_axis_exact("offset in the file", CUP_AXIS_BYTES, plot->sizes[0]);
    else
        figure->y = cup_axis_names("files", plot->names, plot->row_count);
}

static void add_keys(struct cup_figure *figure, const struct cup_io_map *plot,
                     struct cup_colour fresh, struct cup_colour again)
{
    enum cup_key_mark mark = plot->cells ? CUP_KEY_BOX : CUP_KEY_LINE;
    cup_figure_add_key(figure, mark, fresh, "read for the first time");
    cup_figure_add_key(figure, mark, again, "at a place read before");
    if (plot->any_joined && !plot->cells)
        cup_figure_add_key(figure, CUP_KEY_BAND, fresh, "read somewhere in the box");
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
        const struct plane plane = plane_of(figure, plot, row);
        if (plot->cells)
            draw_cells(figure, plot, row, fresh, again);
        if (row + 1 < plot->row_count)
            draw_border(figure, &plane);
    }
    draw_all_marks(figure, plot, fresh, again);
    cup_figure_close(figure);
}

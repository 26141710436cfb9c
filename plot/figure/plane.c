#include "plot/figure/plane.h"

#include <math.h>

struct cup_plane cup_plane_of(const struct cup_figure *figure, size_t row, size_t rows, double high)
{
    const struct cup_box *area = &figure->area;
    double height = area->height / (double)(rows ? rows : 1);
    double seam = rows > 1 ? fmin(figure->theme->gap * 0.4, height * 0.05) : 0;
    return (struct cup_plane){
        {area->left, area->top + (double)row * height + seam, area->width, height - 2 * seam},
        isfinite(high) && high > 0 ? high : 1};
}

static double place_value(const struct cup_plane *plane, double value)
{
    double share = fmin(fmax(value / plane->high, 0), 1);
    return plane->box.top + plane->box.height * (1 - share);
}

/* Calculates the place of a range on the paper. False: it lies outside of the plane. */
static bool place_range(const struct cup_figure *figure, const struct cup_plane *plane,
                        const struct cup_plane_part *at, struct cup_box *box)
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
static void add_range_hover(struct cup_figure *figure, const struct cup_plane_part *at,
                            struct cup_box box, struct cup_colour colour)
{
    char from[24], to[24], low[24], high[24], text[sizeof(struct cup_hover){0}.text];
    snprintf(text, sizeof text, "%s to %s, %s to %s", cup_tick_text(from, at->from, figure->x.unit),
             cup_tick_text(to, at->to, figure->x.unit), cup_tick_text(low, at->low, CUP_AXIS_BYTES),
             cup_tick_text(high, at->high, CUP_AXIS_BYTES));
    cup_canvas_add_hover(figure->canvas, box, colour, text);
}

void cup_plane_line(struct cup_figure *figure, const struct cup_plane *plane,
                    const struct cup_plane_part *at, struct cup_colour colour)
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

void cup_plane_box(struct cup_figure *figure, const struct cup_plane *plane,
                   const struct cup_plane_part *at, struct cup_colour colour)
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

void cup_plane_cells(struct cup_figure *figure, const struct cup_plane *plane,
                     const struct cup_cell *cells, size_t columns, size_t rows)
{
    cup_canvas_cells(figure->canvas, plane->box, cells, columns, rows);
}

void cup_plane_border(struct cup_figure *figure, const struct cup_plane *plane)
{
    double below = plane->box.top + plane->box.height, right = plane->box.left + plane->box.width;
    const struct cup_point points[] = {{plane->box.left, below}, {right, below}};
    cup_canvas_line(figure->canvas, points, 2, figure->theme->grid, figure->theme->hair, 0);
}

#include "plot/figure/hover_texts.h"

#include <math.h>
#include <stdio.h>

#include "analysis/base/array.h"
#include "plot/figure/canvas.h"

/* ---- texts -------------------------------------------------------------------------------- */

enum { TEXT = sizeof(struct cup_hover){0}.text, VALUE = CUP_DURATION_TEXT };

/* The legend's text for a colour; "" if there is none. */
static const char *find_key(const struct cup_figure *figure, struct cup_colour colour)
{
    for (size_t i = 0; i < figure->key_count && i < CUP_KEYS; i++) {
        const struct cup_colour *key = &figure->keys[i].colour;
        if (key->red == colour.red && key->green == colour.green && key->blue == colour.blue)
            return figure->keys[i].text;
    }
    return "";
}

/* ---- marks -------------------------------------------------------------------------------- */

void cup_hover_point(struct cup_figure *figure, struct cup_point at, double x, double y,
                     const struct cup_axis *axis, struct cup_colour colour)
{
    char across[VALUE], up[VALUE], text[TEXT];
    double reach = figure->theme->gap * 0.6;
    const char *key = find_key(figure, colour), *name = axis->name ? axis->name : "";
    snprintf(text, sizeof text, "%.50s: %s at %s", *key ? key : name,
             cup_value_text(up, y, axis->unit), cup_value_text(across, x, figure->x.unit));
    cup_canvas_add_hover(figure->canvas,
                         (struct cup_box){at.x - reach, at.y - reach, 2 * reach, 2 * reach}, colour,
                         text);
}

void cup_hover_column(struct cup_figure *figure, struct cup_box box, double from, double to,
                      double high, struct cup_colour colour)
{
    char left[VALUE], right[VALUE], up[VALUE], text[TEXT];
    const char *key = find_key(figure, colour);
    snprintf(text, sizeof text, "%.40s%s%.30s to %.30s: %.30s", key, *key ? ", " : "",
             cup_value_text(left, from, figure->x.unit), cup_value_text(right, to, figure->x.unit),
             cup_value_text(up, high, figure->y.unit));
    cup_canvas_add_hover(figure->canvas, box, colour, text);
}

void cup_hover_bar(struct cup_figure *figure, struct cup_box box, size_t row, double from,
                   double to, struct cup_colour colour)
{
    char left[VALUE], right[VALUE], text[TEXT];
    const char *key = find_key(figure, colour);
    struct cup_text name = row < figure->y.name_count ? figure->y.names[row] : (struct cup_text){0};
    int length = name.bytes ? (int)(name.length < 50 ? name.length : 50) : 0;
    bool amount = figure->x.amounts;
    snprintf(text, sizeof text, "%.*s%s%.36s: %.30s%s%.30s", length, name.bytes ? name.bytes : "",
             *key ? ", " : "", key, amount ? "" : cup_value_text(left, from, figure->x.unit),
             amount ? "" : " to ", cup_value_text(right, amount ? to - from : to, figure->x.unit));
    cup_canvas_add_hover(figure->canvas, box, colour, text);
}

void cup_hover_heat(struct cup_figure *figure, struct cup_box box, size_t row, double from,
                    double to, double percent, struct cup_colour colour)
{
    char left[VALUE], right[VALUE], text[TEXT];
    struct cup_text name = row < figure->y.name_count ? figure->y.names[row] : (struct cup_text){0};
    snprintf(text, sizeof text, "%.*s: %.3g %%, %s to %s",
             (int)(name.length < 60 ? name.length : 60), name.bytes ? name.bytes : "", percent,
             cup_value_text(left, from, figure->x.unit), cup_value_text(right, to, figure->x.unit));
    cup_canvas_add_hover(figure->canvas, box, colour, text);
}

void cup_hover_cell(struct cup_figure *figure, struct cup_box box, size_t row,
                    struct cup_text column, const char *value, struct cup_colour colour)
{
    char text[sizeof(struct cup_hover){0}.text];
    struct cup_text name = row < figure->y.name_count ? figure->y.names[row] : (struct cup_text){0};
    snprintf(text, sizeof text, "%.*s, %.*s: %s", (int)(name.length < 60 ? name.length : 60),
             name.bytes ? name.bytes : "", (int)(column.length < 60 ? column.length : 60),
             column.bytes ? column.bytes : "", value);
    cup_canvas_add_hover(figure->canvas, box, colour, text);
}

/* ---- grids -------------------------------------------------------------------------------- */

/* The largest number of blocks across and down. */
enum { ACROSS = 24, DOWN = 40 };
_Static_assert(ACROSS *DOWN <= CUP_HOVERS_MOST, "the canvas keeps the text of every block");

struct block {
    size_t column, row, columns, rows;
};

/* The sum or mean of a block; NAN if no value is known or the sum is 0. */
static double value_of(const struct cup_grid_values *grid, const struct block *block)
{
    double sum = 0;
    size_t count = 0;
    for (size_t row = block->row; row < block->row + block->rows; row++)
        for (size_t column = block->column; column < block->column + block->columns; column++) {
            double value = grid->values[row * grid->columns + column];
            if (!isnan(value)) {
                sum += value;
                count++;
            }
        }
    if (grid->sums)
        return sum > 0 ? sum : NAN;
    return count ? sum / (double)count : NAN;
}

/* The value at a share (0 to 1) of an axis. */
static double at_share(const struct cup_axis *axis, double share)
{
    double range = axis->scale.high - axis->scale.low, value = axis->scale.low + range * share;
    return fabs(value) < range * 1e-9 ? 0 : value;
}

static void add_block_hover(struct cup_figure *figure, const struct cup_grid_values *grid,
                            const struct block *block)
{
    double columns = (double)grid->columns, rows = (double)grid->rows;
    double left = (double)block->column / columns, top = (double)block->row / rows;
    double width = (double)block->columns / columns, height = (double)block->rows / rows;
    const struct cup_box *area = &figure->area;
    char from[VALUE], to[VALUE], low[VALUE], high[VALUE], text[TEXT];
    double value = value_of(grid, block) * grid->times;
    if (isnan(value))
        return;
    snprintf(text, sizeof text, "%.20s %.24s to %.24s, %.24s to %.24s: %.*f%.24s",
             figure->y.name ? figure->y.name : "",
             cup_value_text(low, at_share(&figure->y, 1 - top - height), figure->y.unit),
             cup_value_text(high, at_share(&figure->y, 1 - top), figure->y.unit),
             cup_value_text(from, at_share(&figure->x, left), figure->x.unit),
             cup_value_text(to, at_share(&figure->x, left + width), figure->x.unit),
             grid->sums || value >= 9.95 ? 0 : 1, value, grid->what);
    cup_canvas_add_hover(figure->canvas,
                         (struct cup_box){area->left + left * area->width,
                                          area->top + top * area->height, width * area->width,
                                          height * area->height},
                         figure->theme->soft, text);
}

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

void cup_hover_grid(struct cup_figure *figure, const struct cup_grid_values *grid)
{
    size_t wide = (grid->columns + ACROSS - 1) / ACROSS, high = (grid->rows + DOWN - 1) / DOWN;
    for (size_t row = 0; row < grid->rows; row += high)
        for (size_t column = 0; column < grid->columns; column += wide)
            add_block_hover(figure, grid,
                            &(struct block){column, row, least(wide, grid->columns - column),
                                            least(high, grid->rows - row)});
}

/* ---- the canvas ----------------------------------------------------------------------------- */

/* Keeps every second hover text, so that CUP_HOVERS_MOST is never exceeded. */
static void thin_out_hovers(struct cup_canvas *canvas)
{
    for (size_t i = 0; 2 * i < canvas->hover_count; i++)
        canvas->hovers[i] = canvas->hovers[2 * i];
    canvas->hover_count = (canvas->hover_count + 1) / 2;
    canvas->hover_step *= 2;
}

void cup_canvas_add_hover(struct cup_canvas *canvas, struct cup_box box, struct cup_colour colour,
                          const char *text)
{
    if (!canvas->sheet.for_page)
        return;
    if (canvas->hover_step == 0)
        canvas->hover_step = 1;
    if (canvas->hover_count == CUP_HOVERS_MOST)
        thin_out_hovers(canvas);
    if (canvas->hovers_given++ % canvas->hover_step != 0)
        return;
    if (cup_array_grow(&canvas->hovers, &canvas->hover_room, canvas->hover_count,
                       sizeof *canvas->hovers) != 0) {
        canvas->out_of_memory = true;
        return;
    }
    struct cup_hover *hover = &canvas->hovers[canvas->hover_count++];
    hover->box = box;
    hover->colour = colour;
    snprintf(hover->text, sizeof hover->text, "%s", text);
}

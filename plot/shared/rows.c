#include "plot/shared/rows.h"

#include <math.h>
#include <string.h>

#include "plot/figure/figure.h"
#include "plot/figure/marks.h"

struct cup_rows *cup_rows_make(struct cup_arena *arena, const struct cup_bar_kind *kinds,
                               size_t kind_count, const char *what, const char *name,
                               enum cup_axis_unit unit)
{
    struct cup_rows *rows = cup_arena_take(arena, 1, sizeof *rows);
    if (rows)
        *rows = (struct cup_rows){
            .what = what, .name = name, .unit = unit, .kinds = kinds, .kind_count = kind_count};
    return rows;
}

struct cup_row *cup_rows_add(struct cup_rows *rows, struct cup_text name, size_t kind, double value)
{
    if (rows->count == CUP_ROWS_SHOWN)
        return NULL;
    struct cup_row *row = &rows->rows[rows->count];
    rows->names[rows->count++] = name;
    row->parts[kind] = value;
    return row;
}

/* ---- drawing -------------------------------------------------------------------------------- */

static double length_of(const struct cup_rows *plot, size_t row)
{
    double length = 0;
    for (size_t kind = 0; kind < plot->kind_count; kind++)
        if (plot->rows[row].parts[kind] > 0)
            length += plot->rows[row].parts[kind];
    return length;
}

static double longest_bar(const struct cup_rows *plot, size_t rows)
{
    double most = plot->mark > 0 ? plot->mark : 0;
    for (size_t i = 0; i < rows; i++)
        most = fmax(most, length_of(plot, i));
    return most > 0 ? most : 1;
}

/* The legend lists only the kinds that some row has. */
static void draw_keys(struct cup_figure *figure, const struct cup_rows *plot, size_t rows)
{
    for (size_t kind = 0; kind < plot->kind_count; kind++) {
        bool there = false;
        for (size_t i = 0; i < rows; i++)
            there |= plot->rows[i].parts[kind] > 0;
        const char *name = plot->kinds[kind].name;
        if (there && name)
            cup_figure_add_key(figure, CUP_KEY_BOX, figure->theme->paints[plot->kinds[kind].paint],
                               "%s", name);
    }
    if (plot->mark > 0)
        cup_figure_add_key(figure, CUP_KEY_DASHES, figure->theme->ink, "%s", plot->mark_name);
}

static void draw_row(struct cup_figure *figure, const struct cup_rows *plot, size_t row)
{
    double at = 0;
    for (size_t kind = 0; kind < plot->kind_count; kind++) {
        double part = plot->rows[row].parts[kind];
        if (!(part > 0))
            continue;
        cup_mark_bar(figure, row, 0, 1, at, at + part,
                     figure->theme->paints[plot->kinds[kind].paint]);
        at += part;
    }
    double end = fmax(at, plot->mark);
    if (plot->room == 0 || cup_bar_text_fits(figure, end, plot->rows[row].text))
        cup_mark_bar_text(figure, row, 0, end, plot->rows[row].text);
}

/* With a line across all rows, texts stand to the right of the line: the axis ends at this multiple
 * of the longest bar, so that they have room. */
#define ROOM_FOR_TEXTS 1.4

static double axis_end(const struct cup_rows *plot, size_t rows)
{
    if (plot->whole > 0)
        return plot->whole;
    return longest_bar(plot, rows) * (plot->mark > 0 ? ROOM_FOR_TEXTS : 1 + plot->room);
}

void cup_chart_rows(struct cup_figure *figure, const void *data)
{
    const struct cup_rows *plot = data;
    size_t rows = cup_rows_that_fit(figure, plot->count);
    figure->x = (struct cup_axis){.name = plot->name,
                                  .amounts = true,
                                  .unit = plot->unit,
                                  .exact = plot->whole > 0,
                                  .high = axis_end(plot, rows)};
    cup_figure_set_rows(figure, plot->what, plot->names, rows, plot->count);
    draw_keys(figure, plot, rows);
    cup_figure_open(figure);
    for (size_t i = 0; i < rows; i++)
        draw_row(figure, plot, i);
    if (plot->mark > 0)
        cup_mark_upright(figure, plot->mark, figure->theme->ink);
    cup_figure_close(figure);
}

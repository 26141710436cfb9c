#include "plot/shared/density.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "plot/figure/hover_texts.h"
#include "plot/figure/marks.h"

int cup_density_make(struct cup_density *density, struct cup_arena *arena)
{
    density->cells = cup_arena_take(arena, CUP_DENSITY_X * CUP_DENSITY_Y, sizeof *density->cells);
    return density->cells ? 0 : -1;
}

void cup_density_add(struct cup_density *density, double x, double y)
{
    if (!(x >= 0 && x <= 1 && y >= 0 && y <= 1))
        return;
    size_t column = (size_t)(x * (CUP_DENSITY_X - 1e-6)),
           row = (size_t)(y * (CUP_DENSITY_Y - 1e-6));
    double *cell = &density->cells[(CUP_DENSITY_Y - 1 - row) * CUP_DENSITY_X + column];
    density->most = fmax(density->most, ++*cell);
}

double cup_density_strength(const struct cup_density *density, size_t cell)
{
    double count = density->cells[cell];
    return count > 0 ? 0.15 + 0.85 * log(count) / log(fmax(density->most, 2)) : 0;
}

static double value_of(const struct cup_chunk_points *chunks, const double *values, size_t i)
{
    return values ? values[i] : chunks->points[i].wall_s;
}

struct cup_range cup_dots_range(struct cup_range values)
{
    bool from_zero = !(values.low > values.high / 2);
    double margin =
        0.05 * (values.low < values.high && !from_zero ? values.high - values.low : values.high);
    return (struct cup_range){from_zero ? 0 : values.low - margin, values.high + margin};
}

int cup_density_of_chunks(struct cup_density *density, struct cup_arena *arena,
                          const struct cup_chunk_points *chunks, const double *values,
                          struct cup_range across, struct cup_range up)
{
    if (cup_density_make(density, arena) != 0)
        return -1;
    for (size_t i = 0; i < chunks->count; i++)
        cup_density_add(density,
                        (chunks->points[i].events - across.low) / (across.high - across.low),
                        (value_of(chunks, values, i) - up.low) / (up.high - up.low));
    return 0;
}

/* ---- drawing -------------------------------------------------------------------------------- */

/* Dots at the same place look darker than one alone. */
#define OPACITY 0.7

/* ---- chunks of equal events ---------------------------------------------------------------- */

/* Most chunks of a run have equal numbers of events, so their dots hide each other. A number beside
 * them says how many there are. */

struct spot {
    double events, value;
};

static int by_place(const void *a, const void *b)
{
    const struct spot *one = a, *two = b;
    if (one->events != two->events)
        return one->events < two->events ? -1 : 1;
    return (one->value > two->value) - (one->value < two->value);
}

/* Returns the chunks with known values, sorted by events and value; NULL without memory. To be
 * freed. */
static struct spot *sort_spots(const struct cup_chunk_points *chunks, const double *values,
                               size_t *count)
{
    struct spot *spots = calloc(chunks->count + 1, sizeof *spots);
    for (size_t i = 0; spots && i < chunks->count; i++) {
        const struct spot spot = {chunks->points[i].events, value_of(chunks, values, i)};
        if (isfinite(spot.events) && isfinite(spot.value))
            spots[(*count)++] = spot;
    }
    if (spots)
        qsort(spots, *count, sizeof *spots, by_place);
    return spots;
}

static size_t end_of_equals(const struct spot *spots, size_t count, size_t from)
{
    size_t end = from + 1;
    while (end < count && spots[end].events == spots[from].events)
        end++;
    return end;
}

/* Only frequent numbers of events get numbers: at least this many chunks, and a tenth of all. */
enum { EQUALS = 5 };

static bool is_frequent(size_t equals, size_t count)
{
    return equals >= EQUALS && 10 * equals >= count;
}

static bool has_frequent(const struct cup_chunk_points *chunks)
{
    size_t count = 0, end;
    bool any = false;
    struct spot *spots = sort_spots(chunks, NULL, &count);
    for (size_t i = 0; spots && i < count; i = end) {
        end = end_of_equals(spots, count, i);
        any |= is_frequent(end - i, count);
    }
    free(spots);
    return any;
}

/* Writes the number of dots of each stretch that is as high as a line of text, if one of them
 * hides another. The first of them is lowest. */
static void write_numbers(struct cup_figure *figure, const struct spot *spots, size_t count)
{
    const double line = 1.3 * figure->theme->caption;
    for (size_t first = 0, next; first < count; first = next) {
        double bottom = cup_y(figure, spots[first].value);
        bool hides = false;
        for (next = first + 1; next < count && bottom - cup_y(figure, spots[next].value) < line;
             next++)
            hides |= cup_y(figure, spots[next - 1].value) - cup_y(figure, spots[next].value) <
                     figure->theme->dot;
        char text[24];
        if (hides)
            cup_mark_text_at(figure, cup_x(figure, spots[first].events), bottom - line / 2,
                             cup_tick_text(text, (double)(next - first), CUP_AXIS_COUNT));
    }
}

void cup_density_numbers(struct cup_figure *figure, const struct cup_density *density,
                         const struct cup_chunk_points *chunks, const double *values)
{
    size_t count = 0, end;
    if (density->cells)
        return;
    struct spot *spots = sort_spots(chunks, values, &count);
    figure->canvas->out_of_memory |= !spots;
    for (size_t i = 0; spots && i < count; i = end) {
        end = end_of_equals(spots, count, i);
        if (is_frequent(end - i, count))
            write_numbers(figure, spots + i, end - i);
    }
    free(spots);
}

void cup_density_axes(struct cup_figure *figure, const struct cup_density *density,
                      struct cup_range across, struct cup_range up)
{
    bool exact = density->cells != NULL;
    figure->x = (struct cup_axis){.name = "events in the chunk",
                                  .unit = CUP_AXIS_COUNT,
                                  .exact = exact,
                                  .low = across.low,
                                  .high = across.high};
    figure->y = (struct cup_axis){.exact = exact, .low = up.low, .high = up.high};
}

/* The legend of a density has the two ends of the colour scale. */
void cup_density_key(struct cup_figure *figure, const struct cup_density *density,
                     const struct cup_chunk_points *chunks)
{
    if (!density->cells) {
        cup_chunk_groups_key(figure, chunks, CUP_KEY_DOT, OPACITY);
        if (has_frequent(chunks))
            cup_figure_add_key(figure, CUP_KEY_NONE, figure->theme->ink, "numbers: chunks there");
        return;
    }
    cup_figure_add_key(figure, CUP_KEY_BOX, cup_theme_strength(figure->theme, 0.15), "1 chunk");
    cup_figure_add_key(figure, CUP_KEY_BOX, cup_theme_strength(figure->theme, 1), "%.0f chunks",
                       density->most);
}

static void draw_cells(struct cup_figure *figure, const struct cup_density *density)
{
    double strengths[CUP_DENSITY_X * CUP_DENSITY_Y];
    for (size_t i = 0; i < CUP_DENSITY_X * CUP_DENSITY_Y; i++)
        strengths[i] = cup_density_strength(density, i);
    cup_mark_density(figure, strengths, CUP_DENSITY_X, CUP_DENSITY_Y);
    cup_hover_grid(figure, &(struct cup_grid_values){.values = density->cells,
                                                     .columns = CUP_DENSITY_X,
                                                     .rows = CUP_DENSITY_Y,
                                                     .sums = true,
                                                     .times = 1,
                                                     .what = " chunks"});
}

void cup_density_draw(struct cup_figure *figure, const struct cup_density *density,
                      const struct cup_chunk_points *chunks, const double *values)
{
    if (density->cells) {
        draw_cells(figure, density);
        return;
    }
    for (size_t i = 0; i < chunks->count; i++)
        cup_mark_dot(figure, chunks->points[i].events, value_of(chunks, values, i),
                     cup_theme_paint(figure->theme, chunks->points[i].group), OPACITY);
}

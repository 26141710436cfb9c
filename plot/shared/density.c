#include "plot/shared/density.h"

#include <limits.h>
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

int cup_density_of_chunks(struct cup_density *density, struct cup_arena *arena,
                          const struct cup_chunk_points *chunks, const double *values,
                          double top_events, double top_value)
{
    if (cup_density_make(density, arena) != 0)
        return -1;
    for (size_t i = 0; i < chunks->count; i++)
        cup_density_add(density, chunks->points[i].events / top_events,
                        value_of(chunks, values, i) / top_value);
    return 0;
}

/* ---- drawing -------------------------------------------------------------------------------- */

/* The legend of a density has the two ends of the colour scale. */
void cup_density_key(struct cup_figure *figure, const struct cup_density *density,
                     const struct cup_chunk_points *chunks)
{
    if (!density->cells) {
        cup_chunk_groups_key(figure, chunks, CUP_KEY_DOT);
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

/* ---- dots side by side ---------------------------------------------------------------------- */

/* Dots that do not hide each other: a dot on an occupied place is moved sideways. */
struct swarm {
    struct cup_figure *figure;
    double opacity;
    unsigned char *taken; /* owned; number of dots in each square of a dot's size, row by row */
    size_t columns, rows;
};

/* A dot moves sideways by at most so many dots: further out it would show another value. */
enum { SIDEWAYS = 8 };

static double place_size(const struct swarm *swarm)
{
    return 2 * swarm->figure->theme->dot;
}

static void begin_swarm(struct swarm *swarm, struct cup_figure *figure, size_t count)
{
    *swarm = (struct swarm){.figure = figure, .opacity = count > 500 ? 0.45 : 0.8};
    swarm->columns = (size_t)(figure->area.width / place_size(swarm)) + 1;
    swarm->rows = (size_t)(figure->area.height / place_size(swarm)) + 1;
    swarm->taken = calloc(swarm->columns * swarm->rows, 1);
    if (!swarm->taken)
        figure->canvas->out_of_memory = true;
}

/* Counts a dot at its place. Returns how many were there before. */
static unsigned take_place(struct swarm *swarm, double x, double y)
{
    const struct cup_box *area = &swarm->figure->area;
    double column = floor((cup_x(swarm->figure, x) - area->left) / place_size(swarm));
    double row = floor((cup_y(swarm->figure, y) - area->top) / place_size(swarm));
    if (!swarm->taken || !(column >= 0 && column < (double)swarm->columns) ||
        !(row >= 0 && row < (double)swarm->rows))
        return 0;
    unsigned char *taken = &swarm->taken[(size_t)row * swarm->columns + (size_t)column];
    return *taken < UCHAR_MAX ? (*taken)++ : UCHAR_MAX;
}

/* How far a dot is moved: 0, then right, left, further right, ... */
static double sideways(const struct swarm *swarm, unsigned before)
{
    double steps = (before + 1) / 2 % (SIDEWAYS + 1);
    return (before % 2 ? steps : -steps) * place_size(swarm);
}

static void draw_dot(struct swarm *swarm, double x, double y, struct cup_colour colour)
{
    double across = sideways(swarm, take_place(swarm, x, y));
    cup_mark_dot_beside(swarm->figure, x, y, across, colour, swarm->opacity);
}

void cup_density_draw(struct cup_figure *figure, const struct cup_density *density,
                      const struct cup_chunk_points *chunks, const double *values)
{
    struct swarm swarm;
    if (density->cells) {
        draw_cells(figure, density);
        return;
    }
    begin_swarm(&swarm, figure, chunks->count);
    for (size_t i = 0; i < chunks->count; i++)
        draw_dot(&swarm, chunks->points[i].events, value_of(chunks, values, i),
                 cup_theme_paint(figure->theme, chunks->points[i].group));
    free(swarm.taken);
}

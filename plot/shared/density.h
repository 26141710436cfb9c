/* For too many points to draw as dots: the number of points in each cell of a grid that fills the
 * axes. */
#pragma once

#include "plot/shared/chunks.h"

/* More points than CUP_DOTS_MOST are drawn as a density. */
enum { CUP_DOTS_MOST = 4000, CUP_DENSITY_X = 120, CUP_DENSITY_Y = 75 };

struct cup_density {
    double *cells; /* points in each, row by row from the top; NULL: there is no density */
    double most;   /* points in the fullest cell */
};

/* Makes an empty density in the arena. Returns 0, or -1 without memory. */
int cup_density_make(struct cup_density *density, struct cup_arena *arena);

/* Adds a point, given as shares (0 to 1) of the axes. Points outside are left out. */
void cup_density_add(struct cup_density *density, double x, double y);

/* How strongly a cell is drawn, 0 to 1. It follows the logarithm, so that a cell with one point is
 * visible next to one with a thousand. */
double cup_density_strength(const struct cup_density *density, size_t cell);

/* ---- chunks by their events --------------------------------------------------------------- */

/* Chunks are dots at their values, or a density if it has cells. `values` has one for each chunk;
 * NULL: their wall times. */

/* The range of an axis for dots with these values, with some room around them. It begins at 0
 * unless that would leave half of the axis empty. */
struct cup_range cup_dots_range(struct cup_range values);

/* Makes the density of the chunks within these ranges of the axes. Returns 0, or -1 without memory.
 */
int cup_density_of_chunks(struct cup_density *density, struct cup_arena *arena,
                          const struct cup_chunk_points *chunks, const double *values,
                          struct cup_range across, struct cup_range up);

/* Sets the axes to these ranges, the horizontal one with its name and unit, the vertical one
 * without. The cells of a density fill the axes. */
void cup_density_axes(struct cup_figure *figure, const struct cup_density *density,
                      struct cup_range across, struct cup_range up);

/* Adds the legend; call it before the figure is opened. */
void cup_density_key(struct cup_figure *figure, const struct cup_density *density,
                     const struct cup_chunk_points *chunks);

/* Writes how many dots there are where they hide each other; to be called after all lines are
 * drawn.
 */
void cup_density_numbers(struct cup_figure *figure, const struct cup_density *density,
                         const struct cup_chunk_points *chunks, const double *values);

/* Draws the chunks. A density must be drawn before all other marks, which it would cover. */
void cup_density_draw(struct cup_figure *figure, const struct cup_density *density,
                      const struct cup_chunk_points *chunks, const double *values);

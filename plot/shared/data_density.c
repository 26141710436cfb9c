#include <math.h>

#include "plot/shared/density.h"

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

#include <stdio.h>
#include <string.h>

#include "plot/figure/hover_texts.h"
#include "plot/figure/marks.h"
#include "plot/shared/density.h"

/* The legend has the two ends of the colour scale. */
void cup_density_key(struct cup_figure *figure, const struct cup_density *density)
{
    char text[32];
    cup_figure_add_key(figure, "1 chunk", 7, CUP_KEY_BOX, cup_theme_strength(figure->theme, 0.15));
    snprintf(text, sizeof text, "%.0f chunks", density->most);
    cup_figure_add_key(figure, text, strlen(text), CUP_KEY_BOX,
                       cup_theme_strength(figure->theme, 1));
}

void cup_density_draw(struct cup_figure *figure, const struct cup_density *density)
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

#include <stdio.h>
#include <string.h>

#include "plot/density.h"
#include "plot/marks.h"

/* The ends of the colours. */
void cup_density_key(struct cup_figure *figure, const struct cup_density *density)
{
    char text[32];
    cup_figure_key(figure, "1 chunk", 7, CUP_KEY_BOX, cup_look_strength(figure->look, 0.15));
    snprintf(text, sizeof text, "%.0f chunks", density->most);
    cup_figure_key(figure, text, strlen(text), CUP_KEY_BOX, cup_look_strength(figure->look, 1));
}

void cup_density_draw(struct cup_figure *figure, const struct cup_density *density)
{
    cup_mark_density(figure, density->cells, CUP_DENSITY_X, CUP_DENSITY_Y);
}

/* A plot inside of a page of HTML. Its colours are CSS variables there, one for each of the look's,
 * so that the page may be light or dark; its texts are texts. */
#ifndef CUPPING_PAGE_SVG_H
#define CUPPING_PAGE_SVG_H

#include <stdio.h>

#include "plot/plots.h"

/* The variables, as the inside of a rule: "--paper:#ffffff;...". */
void cup_page_paints(FILE *out, bool dark);

/* The variable of a paint of the light look; NULL for other colours, its inks too. */
const char *cup_page_paint(struct cup_colour colour);

/* `svg` is what cup_plot_draw_for_page() made of the plot on the canvas. */
void cup_page_svg(FILE *out, const struct cup_plot *plot, const struct cup_canvas *canvas,
                  const struct cup_bytes *svg, const char *caption);

#endif

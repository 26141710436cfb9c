/* A plot inside of a page of HTML: its colours are those of the page, which may be light or dark;
 * its texts are texts, and places that have something to tell are boxes with titles. */
#ifndef CUPPING_PLOT_PAGE_PAGE_SVG_H
#define CUPPING_PLOT_PAGE_PAGE_SVG_H

#include <stdio.h>

#include "plot/plots.h"

/* `shapes` is what cup_plot_draw_for_page() made of the plot on the canvas. */
void cup_page_svg(FILE *out, const struct cup_plot *plot, const struct cup_canvas *canvas,
                  const struct cup_bytes *shapes, const char *caption);

#endif

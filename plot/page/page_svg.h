/* A plot within a page. Its colours are the page's, which may be light or dark; its texts are text
 * elements; places with a hover text are transparent boxes with a title. */
#ifndef CUPPING_PLOT_PAGE_PAGE_SVG_H
#define CUPPING_PLOT_PAGE_PAGE_SVG_H

#include <stdio.h>

#include "plot/figure/canvas.h"
#include "plot/shared/plot.h"

/* `shapes` is what cup_plot_draw() made of the plot on the canvas, for a page. */
void cup_page_svg(FILE *out, const struct cup_plot *plot, const struct cup_canvas *canvas,
                  const struct cup_bytes *shapes, const char *caption);

#endif

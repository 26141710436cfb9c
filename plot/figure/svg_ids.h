/* Ids in an SVG that cairo wrote: it numbers surfaces through the whole life of the process, and
 * gives the same ids in every picture, so that two of them cannot stand in one page. And images:
 * cells are to keep their edges in browsers, too. */
#ifndef CUPPING_PLOT_FIGURE_SVG_IDS_H
#define CUPPING_PLOT_FIGURE_SVG_IDS_H

#include "plot/figure/canvas.h"

/* Puts NAME and '-' before every id and every reference to one, and numbers surfaces and images
 * from 1 in the order in which they are met. Returns 0, or -1 without memory, the bytes being as
 * they were. */
int cup_svg_ids(struct cup_bytes *svg, const char *name);

#endif

/* The colours of the look by name: in a page each is a CSS variable, "--blue", and a class of the
 * shapes and texts that have it, so that the page may be light or dark and legends can switch what
 * is of one colour. */
#ifndef CUPPING_PLOT_PAGE_PAGE_PAINTS_H
#define CUPPING_PLOT_PAGE_PAGE_PAINTS_H

#include <stdio.h>

#include "plot/figure/theme.h"

/* The variables, as the inside of a rule: "--paper:#ffffff;...". */
void cup_page_paints(FILE *out, bool dark);

/* The classes, as rules: ".plot .paper{color:var(--paper)}...". */
void cup_page_paint_rules(FILE *out);

/* The name of a colour of the light look; NULL for shades that it has no name for. */
const char *cup_page_colour(struct cup_colour colour);

/* Likewise, of its paints only: NULL for paper and inks too. */
const char *cup_page_paint(struct cup_colour colour);

/* "#0072b2". Returns `to`. */
enum { CUP_HEX = 8 };
char *cup_colour_hex(char to[CUP_HEX], struct cup_colour colour);

#endif

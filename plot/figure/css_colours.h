/* The colours of the theme by name. In a page, each is a CSS variable ("--blue") and a class of the
 * shapes and texts that have it: so the page can be light or dark, and legends can hide what has
 * one colour. */
#ifndef CUPPING_PLOT_FIGURE_CSS_COLOURS_H
#define CUPPING_PLOT_FIGURE_CSS_COLOURS_H

#include <stdio.h>

#include "plot/figure/theme.h"

/* Writes the variables of the light or the dark theme: "--paper:#ffffff;...". */
void cup_css_variables(FILE *out, bool dark);

/* Writes the rules of the classes: ".plot .paper{color:var(--paper)}...". */
void cup_css_rules(FILE *out);

/* The name of a colour of the light theme; NULL for other shades. */
const char *cup_colour_name(struct cup_colour colour);

/* The same, but NULL for paper, ink, soft and grid, too. */
const char *cup_paint_name(struct cup_colour colour);

/* Prints "#0072b2". Returns `to`. */
enum { CUP_HEX = 8 };
char *cup_colour_hex(char to[CUP_HEX], struct cup_colour colour);

#endif

/* Colours, and sizes of text and lines. There is a light and a dark theme; sizes depend on the size
 * of the picture. */
#pragma once

#include <stdbool.h>
#include <stdio.h>

struct cup_colour {
    double red, green, blue; /* 0 to 1 */
};

/* The colours of Okabe and Ito, which colour-blind readers can tell apart, too. In this order, the
 * first ones differ the most in grey. The ones after grey are for pictures with more things. */
enum cup_paint {
    CUP_PAINT_BLUE,
    CUP_PAINT_ORANGE,
    CUP_PAINT_GREEN,
    CUP_PAINT_RED,
    CUP_PAINT_SKY,
    CUP_PAINT_PINK,
    CUP_PAINT_YELLOW,
    CUP_PAINT_GREY,
    CUP_PAINT_VIOLET,
    CUP_PAINT_BROWN,
    CUP_PAINT_MINT,
    CUP_PAINT_SAND,
    CUP_PAINT_COUNT,
};

struct cup_theme {
    struct cup_colour paper, ink, soft; /* soft: captions and other secondary texts */
    struct cup_colour grid;
    struct cup_colour paints[CUP_PAINT_COUNT];
    double text, title, caption; /* sizes of letters, in points */
    double line, hair;           /* widths of lines, in points */
    double dot;                  /* radius, in points */
    double gap;                  /* between neighbouring things, in points */
};

/* Makes the theme for a picture of this size, in inches. */
struct cup_theme cup_theme_make(double width, double height, bool dark);

/* The paint of the n-th of several things. After the last paint it starts again with the first. */
struct cup_colour cup_theme_paint(const struct cup_theme *theme, unsigned n);

/* The colour of a density, from nearly paper (0) to full strength (1); lightness changes evenly. */
struct cup_colour cup_theme_strength(const struct cup_theme *theme, double strength);

/* The colours of the theme by name. In a page, each is a CSS variable ("--blue") and a class of the
 * shapes and texts that have it: so the page can be light or dark, and legends can hide what has
 * one colour. */

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

/* Colours, and sizes of text and lines. There is a light and a dark theme; sizes depend on the size
 * of the picture. */
#ifndef CUPPING_PLOT_FIGURE_THEME_H
#define CUPPING_PLOT_FIGURE_THEME_H

#include <stdbool.h>

struct cup_colour {
    double red, green, blue; /* 0 to 1 */
};

/* The colours of Okabe and Ito, which colour-blind readers can tell apart, too. In this order, the
 * first ones differ the most in grey. */
enum cup_paint {
    CUP_PAINT_BLUE,
    CUP_PAINT_ORANGE,
    CUP_PAINT_GREEN,
    CUP_PAINT_RED,
    CUP_PAINT_SKY,
    CUP_PAINT_PINK,
    CUP_PAINT_YELLOW,
    CUP_PAINT_GREY,
    CUP_PAINT_COUNT,
};

struct cup_theme {
    bool dark;
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

#endif

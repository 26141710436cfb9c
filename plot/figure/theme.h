/* How plots look: colours, sizes of text and lines. One set for light and one for dark paper, and
 * sizes that go with the size of the picture. */
#ifndef CUPPING_PLOT_FIGURE_THEME_H
#define CUPPING_PLOT_FIGURE_THEME_H

#include <stdbool.h>

struct cup_colour {
    double red, green, blue; /* 0 to 1 */
};

/* Told apart by those who see no red, no green or no blue (the set of Okabe and Ito, in an order in
 * which the first few differ the most also in grey). */
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
    struct cup_colour paper, ink, soft; /* soft: captions, what stands back */
    struct cup_colour grid;
    struct cup_colour paints[CUP_PAINT_COUNT];
    double text, title, caption; /* sizes of letters, in points */
    double line, hair;           /* widths of lines, in points */
    double dot;                  /* radius, in points */
    double gap;                  /* between things that stand beside each other, in points */
};

/* For a picture of this size, in inches. */
struct cup_theme cup_theme_make(double width, double height, bool dark);

/* For the n-th of any number of things: after the last paint it begins again. */
struct cup_colour cup_theme_paint(const struct cup_theme *theme, unsigned n);

/* From the paper (0) to full strength (1), for densities: lightness changes evenly. */
struct cup_colour cup_theme_strength(const struct cup_theme *theme, double strength);

#endif

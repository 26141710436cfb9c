/* Writes the shapes and texts of a canvas as SVG. cairo's own SVG surface writes each number with
 * six digits and repeats each style, which makes megabytes for a run with thousands of tasks. This
 * writer rounds to a hundredth of a point and puts neighbours of one style into one path.
 *
 * A file has its colours written out, so that every program that shows SVG shows them. In a page,
 * colours are CSS classes (theme.h), so that the page can be light or dark and its legends
 * can hide what has one colour. */
#pragma once

#include <stdio.h>

#include "plot/figure/canvas.h"

struct cup_svg {
    FILE *out;        /* the canvas' */
    const char *name; /* of the plot: goes into ids */
    bool for_page;    /* elements only, colours as classes; else a whole file */
    unsigned clips;
    char begun[160];   /* the open element, from its name to its content; "": none is open */
    const char *ended; /* how the open element ends */
};

/* Begins the picture of a canvas. */
void cup_svg_begin(struct cup_svg *svg, const struct cup_canvas *canvas);

/* Ends the picture; a file gets its texts now. */
void cup_svg_finish(struct cup_svg *svg, const struct cup_canvas *canvas);

/* Shapes: the parameters are those of the canvas' functions of the same name. */
void cup_svg_line(struct cup_svg *svg, const struct cup_point *points, size_t count,
                  struct cup_colour colour, double width, double dash);
void cup_svg_area(struct cup_svg *svg, const struct cup_point *points, size_t count,
                  struct cup_colour colour, double opacity);
void cup_svg_box(struct cup_svg *svg, struct cup_box box, struct cup_colour colour, double opacity);
void cup_svg_dot(struct cup_svg *svg, struct cup_point at, double radius, struct cup_colour colour,
                 double opacity);
void cup_svg_clip(struct cup_svg *svg, struct cup_box box);
void cup_svg_release(struct cup_svg *svg);

/* A PNG that fills the box. Its pixels keep their edges. */
void cup_svg_image(struct cup_svg *svg, struct cup_box box, const struct cup_bytes *png);

/* Writes the texts of a canvas as text elements, each as wide as it was measured, so that texts do
 * not overlap if the reader's machine has another font. */
void cup_svg_write_texts(FILE *out, const struct cup_canvas *canvas);

/* Writes the attributes that give an element of a page a fill colour: a class, or, for a shade
 * without a name, a class and the colour, which the dark page inverts. */
void cup_svg_write_class(FILE *out, struct cup_colour colour);

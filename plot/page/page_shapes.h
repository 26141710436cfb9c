/* What a canvas draws, as short SVG for a page: cairo's own tells every number to six digits and
 * every style again, which for a run of thousands of tasks makes megabytes. Neighbours that look
 * the same are one path. Colours are classes (page_paints.h). */
#ifndef CUPPING_PLOT_PAGE_PAGE_SHAPES_H
#define CUPPING_PLOT_PAGE_PAGE_SHAPES_H

#include <stdio.h>

#include "plot/figure/bytes.h"
#include "plot/figure/canvas.h"

struct cup_shapes {
    FILE *out;
    char *bytes; /* owned; those of `out`, once it is closed */
    size_t count;
    const char *name; /* of the plot: goes into ids */
    unsigned clips;
    char begun[160];   /* the element that is open, up to what is in it; "": none */
    const char *ended; /* how it ends */
};

/* Returns 0, or -1 without memory. */
int cup_shapes_open(struct cup_shapes *shapes, const char *name);

/* Ends the last shape; the bytes end with a NUL. Returns 0, or -1 without memory. */
int cup_shapes_finish(struct cup_shapes *shapes);

void cup_shapes_free(struct cup_shapes *shapes);

/* As the functions of the canvas. */
void cup_shapes_line(struct cup_shapes *shapes, const struct cup_point *points, size_t count,
                     struct cup_colour colour, double width, double dash);
void cup_shapes_area(struct cup_shapes *shapes, const struct cup_point *points, size_t count,
                     struct cup_colour colour, double opacity);
void cup_shapes_box(struct cup_shapes *shapes, struct cup_box box, struct cup_colour colour,
                    double opacity);
void cup_shapes_dot(struct cup_shapes *shapes, struct cup_point at, double radius,
                    struct cup_colour colour, double opacity);
void cup_shapes_clip(struct cup_shapes *shapes, struct cup_box box);
void cup_shapes_release(struct cup_shapes *shapes);

/* A PNG that fills the box, its pixels as they are. */
void cup_shapes_image(struct cup_shapes *shapes, struct cup_box box, const struct cup_bytes *png);

#endif

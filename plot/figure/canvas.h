/* Paper to draw on, in points (1/72 inch) from its top left: the one place that knows cairo, and
 * that PNG, SVG and PDF differ. The same calls give the same bytes, on the same machine. Whatever
 * fails on the way (memory, mostly) is told by cup_canvas_finish(). */
#ifndef CUPPING_PLOT_FIGURE_CANVAS_H
#define CUPPING_PLOT_FIGURE_CANVAS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analysis/base/error.h"
#include "plot/figure/bytes.h"
#include "plot/figure/theme.h"

struct cup_point {
    double x, y;
};

struct cup_box {
    double left, top, width, height;
};

enum cup_format { CUP_FORMAT_PNG, CUP_FORMAT_SVG, CUP_FORMAT_PDF };

/* Which part of a text, or of its letters' height, is at the point that it is put to. */
enum cup_hold { CUP_HOLD_START, CUP_HOLD_MIDDLE, CUP_HOLD_END };

struct cup_lettering {
    double size; /* points */
    bool bold;
    bool upright; /* read from below to above; `across` is then along the paper's height */
    enum cup_hold across, down;
    struct cup_colour colour;
};

/* What was written where: for whoever checks that no text is cut or covered by another, or writes
 * it himself (see struct cup_sheet). */
enum { CUP_WRITTEN = 256 };
struct cup_written {
    struct cup_box box;     /* of letters with and without tails */
    struct cup_point start; /* of the line that the letters stand on */
    double length;          /* of that line */
    struct cup_lettering lettering;
    char text[CUP_WRITTEN]; /* its beginning */
};

/* What there is to say of a place: values, for whoever points at it. */
struct cup_last_written {
    struct cup_box box;
    struct cup_colour colour; /* of what is there */
    char text[160];           /* may be any bytes */
};
enum { CUP_TOLD_MOST = 1000 };

struct cup_sheet {
    enum cup_format format;
    double width, height; /* inches */
    double pixels;        /* of a PNG, per inch */
    const char *name;     /* letters, digits, '-': goes into the ids of an SVG */
    const char *title;    /* of a PDF */
    int64_t date_ns;      /* of a PDF: nanoseconds since the epoch */
    bool for_page; /* no file: shapes as page_shapes.h has them; texts are not drawn, but left
                      in `written`; places are told */
};
#define CUP_PIXELS 192 /* twice what screens are taken to have */

struct cup_canvas {
    double width, height;        /* points */
    struct cup_written *written; /* owned */
    size_t written_count, written_room;
    struct cup_last_written *told; /* owned */
    size_t told_count, told_room, told_seen, told_step;

    /* What follows is the canvas' own. */
    struct cup_sheet sheet;
    struct _cairo *cairo;
    struct _cairo_surface *surface;
    struct cup_shapes *shapes; /* of a page, else NULL */
    struct cup_bytes out;
    bool out_of_memory;
    bool bare; /* no font of the machine's: letters of ASCII only */
};

/* Returns 0, or -1 and *error, and there is nothing to close. The sheet's texts must outlive it. */
int cup_canvas_open(struct cup_canvas *canvas, const struct cup_sheet *sheet,
                    struct cup_error *error);

/* Ends the drawing; *bytes are the picture as a file holds it, valid until the canvas is closed.
 * Returns 0, or -1 and *error. */
int cup_canvas_finish(struct cup_canvas *canvas, const struct cup_bytes **bytes,
                      struct cup_error *error);

void cup_canvas_close(struct cup_canvas *canvas);

/* ---- shapes ------------------------------------------------------------------------------- */

/* A line through points; one that is NAN makes a gap. `dash` 0: without gaps of its own. */
void cup_canvas_line(struct cup_canvas *canvas, const struct cup_point *points, size_t count,
                     struct cup_colour colour, double width, double dash);

void cup_canvas_area(struct cup_canvas *canvas, const struct cup_point *points, size_t count,
                     struct cup_colour colour, double opacity);

void cup_canvas_box(struct cup_canvas *canvas, struct cup_box box, struct cup_colour colour,
                    double opacity);

void cup_canvas_dot(struct cup_canvas *canvas, struct cup_point at, double radius,
                    struct cup_colour colour, double opacity);

/* `columns` times `rows` cells of one colour each, row by row from the top; those of an opacity
 * below 1/255 are not drawn. */
struct cup_cell {
    struct cup_colour colour;
    double opacity;
};
void cup_canvas_cells(struct cup_canvas *canvas, struct cup_box box, const struct cup_cell *cells,
                      size_t columns, size_t rows);

/* What is drawn until cup_canvas_release() is seen only within the box. */
void cup_canvas_clip(struct cup_canvas *canvas, struct cup_box box);
void cup_canvas_release(struct cup_canvas *canvas);

/* ---- text --------------------------------------------------------------------------------- */

void cup_canvas_text(struct cup_canvas *canvas, struct cup_point at, const char *text,
                     const struct cup_lettering *lettering);

/* Keeps what there is to say of a place, for a page; of more than CUP_TOLD_MOST places every
 * second, fourth, ... is kept. */
void cup_canvas_tell(struct cup_canvas *canvas, struct cup_box box, struct cup_colour colour,
                     const char *text);

/* How long it is, in points. */
double cup_canvas_text_width(struct cup_canvas *canvas, const char *text,
                             const struct cup_lettering *lettering);

/* Copies a text that may be any bytes, shortened in its middle to fit the width: the ends of names
 * and paths tell the most. Returns `to`. */
enum { CUP_FITTED = 256 };
char *cup_canvas_fit(struct cup_canvas *canvas, char to[CUP_FITTED], const char *text,
                     size_t length, double width, const struct cup_lettering *lettering);

#endif

/* A sheet of paper to draw on. Units are points (1/72 inch) from its top left corner. The canvas is
 * the only module that uses cairo, and the only one that knows how PNG, SVG and PDF differ. The
 * same calls give the same bytes on the same machine. Drawing functions report no errors: an error
 * on the way (out of memory, mostly) makes cup_canvas_finish() fail. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "analysis/base/error.h"
#include "plot/figure/theme.h"

struct cup_point {
    double x, y;
};

struct cup_box {
    double left, top, width, height;
};

struct cup_bytes {
    char *bytes; /* owned: free() them */
    size_t count;
};

enum cup_format { CUP_FORMAT_PNG, CUP_FORMAT_SVG, CUP_FORMAT_PDF };

/* Names of the formats: "png", "svg", "pdf". Files end in them, too. */
extern const char *const cup_format_names[];

/* Which part of a text, or of the height of its letters, lies at the point where it is written. */
enum cup_hold { CUP_HOLD_START, CUP_HOLD_MIDDLE, CUP_HOLD_END };

struct cup_lettering {
    double size; /* points */
    bool bold;
    bool upright; /* read from bottom to top; `across` then goes along the height of the paper */
    enum cup_hold across, down;
    struct cup_colour colour;
};

/* Every text of the canvas and its place. Tests check with it that no text is cut or covers
 * another; the writers of SVG make text elements from it. */
enum { CUP_WRITTEN = 256 };
struct cup_written {
    struct cup_box box;     /* from the top of the tallest letters to the bottom of "g" */
    struct cup_point start; /* where the baseline begins */
    double length;          /* of the baseline */
    struct cup_lettering lettering;
    char text[CUP_WRITTEN]; /* longer texts are cut here */
};

/* What a page shows when the pointer is at a place: the values drawn there. */
struct cup_hover {
    struct cup_box box;
    struct cup_colour colour; /* of the mark at the place */
    char text[160];           /* any bytes */
};
enum { CUP_HOVERS_MOST = 1000 };

struct cup_sheet {
    enum cup_format format;
    double width, height; /* inches */
    double pixels;        /* of a PNG, per inch */
    const char *name;     /* letters, digits, '-': goes into the ids of an SVG */
    const char *title;    /* of a PDF */
    int64_t date_ns;      /* of a PDF: nanoseconds since the epoch */
    bool dark;            /* of a file; a page has both themes */
    bool for_page;        /* part of a page, not a file: cup_canvas_finish() returns the shapes as
                             SVG elements; texts are in `written` and hover texts in `hovers` */
};
#define CUP_PIXELS 192 /* the default of `pixels`: twice the usual 96 of screens */

struct cup_canvas {
    double width, height;        /* points */
    double whole_height;         /* with the caption, which for a page stands below `height` */
    struct cup_written *written; /* owned */
    size_t written_count, written_room;
    struct cup_hover *hovers; /* owned */
    size_t hover_count, hover_room;
    size_t hovers_given, hover_step; /* of hovers_given calls, every hover_step-th is kept */

    /* Private to the canvas. */
    struct cup_sheet sheet;
    struct _cairo *cairo;
    struct _cairo_surface *surface;
    struct cup_svg *svg; /* takes the shapes of an SVG or of a page; else NULL */
    FILE *stream;        /* writes `out`; NULL: closed */
    struct cup_bytes out;
    bool out_of_memory;
    bool ascii_only; /* the machine has no fonts: cairo's built-in letters are ASCII */
};

/* Returns 0, or -1 and *error; then there is nothing to close. The sheet's texts must outlive the
 * canvas. */
int cup_canvas_open(struct cup_canvas *canvas, const struct cup_sheet *sheet,
                    struct cup_error *error);

/* Ends the drawing. *bytes is the content of the picture's file; it is valid until the canvas is
 * closed. Returns 0, or -1 and *error. */
int cup_canvas_finish(struct cup_canvas *canvas, const struct cup_bytes **bytes,
                      struct cup_error *error);

void cup_canvas_close(struct cup_canvas *canvas);

/* ---- shapes ------------------------------------------------------------------------------- */

/* A line through points; a point with a NAN makes a gap. `dash`: length of dashes; 0: solid. */
void cup_canvas_line(struct cup_canvas *canvas, const struct cup_point *points, size_t count,
                     struct cup_colour colour, double width, double dash);

void cup_canvas_area(struct cup_canvas *canvas, const struct cup_point *points, size_t count,
                     struct cup_colour colour, double opacity);

void cup_canvas_box(struct cup_canvas *canvas, struct cup_box box, struct cup_colour colour,
                    double opacity);

void cup_canvas_dot(struct cup_canvas *canvas, struct cup_point at, double radius,
                    struct cup_colour colour, double opacity);

/* Fills the box with `columns` times `rows` cells of one colour each, row by row from the top.
 * Cells with an opacity below 1/255 are not drawn. */
struct cup_cell {
    struct cup_colour colour;
    double opacity;
};
void cup_canvas_cells(struct cup_canvas *canvas, struct cup_box box, const struct cup_cell *cells,
                      size_t columns, size_t rows);

/* Shapes drawn until cup_canvas_release() are cut off at the edges of the box. */
void cup_canvas_clip(struct cup_canvas *canvas, struct cup_box box);
void cup_canvas_release(struct cup_canvas *canvas);

/* ---- text --------------------------------------------------------------------------------- */

void cup_canvas_text(struct cup_canvas *canvas, struct cup_point at, const char *text,
                     const struct cup_lettering *lettering);

/* Adds a hover text; does nothing unless the sheet is for a page. If there are more than
 * CUP_HOVERS_MOST, every second, fourth, ... is kept. */
void cup_canvas_add_hover(struct cup_canvas *canvas, struct cup_box box, struct cup_colour colour,
                          const char *text);

/* Returns the width of the text in points. */
double cup_canvas_text_width(struct cup_canvas *canvas, const char *text,
                             const struct cup_lettering *lettering);

/* Copies a text (any bytes) and shortens it in the middle to fit the width: names and paths differ
 * at their ends. Returns `to`. */
enum { CUP_FITTED = 256 };
char *cup_canvas_fit(struct cup_canvas *canvas, char to[CUP_FITTED], const char *text,
                     size_t length, double width, const struct cup_lettering *lettering);

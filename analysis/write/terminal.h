/* Text output: width, colours, and texts shortened or wrapped to fit. */
#pragma once

#include <stdbool.h>
#include <stdio.h>

#include "analysis/base/intern.h"
#include "analysis/write/output.h"

enum cup_style {
    CUP_PLAIN,
    CUP_BOLD,
    CUP_DIM,
    CUP_GOOD,
    CUP_WARN,
    CUP_BAD,
    CUP_HEADING,
    CUP_BLUE,
    CUP_MAGENTA,
    CUP_CYAN,
    CUP_LIGHT_RED,
    CUP_LIGHT_GREEN,
    CUP_LIGHT_YELLOW,
    CUP_LIGHT_BLUE,
    CUP_LIGHT_MAGENTA,
    CUP_LIGHT_CYAN,
};

/* State of a report that is written as part of an HTML page. */
struct cup_html {
    char label[80]; /* heading of the section: the caption of its tables */
    bool open;      /* a section is open and must be closed */
    FILE *contents; /* not owned; gets a list item with a link for each section; may be NULL */
};

struct cup_terminal {
    FILE *out; /* not owned */
    unsigned width;
    bool colour;
    bool ascii;            /* the locale is not UTF-8: what cupping itself writes is ASCII */
    struct cup_html *html; /* not owned; NULL: plain text; otherwise HTML is printed */
};

/* Width: COLUMNS, else what the terminal says, else 80. Colour: as the output says, else only on a
 * terminal, and not with NO_COLOR or TERM=dumb. */
void cup_terminal_open(struct cup_terminal *terminal, const struct cup_output *output);

/* Prints with a style, if the terminal has colours, and without control characters but line ends.
 * In HTML, leading and final newlines are dropped. */
__attribute__((format(printf, 3, 4))) void cup_print(const struct cup_terminal *terminal,
                                                     enum cup_style style, const char *format, ...);

/* CUP_FIT_CODE: as CUP_FIT_LEFT; in HTML, source code. */
enum cup_fit { CUP_FIT_LEFT, CUP_FIT_RIGHT, CUP_FIT_NONE, CUP_FIT_CODE };

/* Prints a text in exactly `width` columns: padded with spaces, or shortened in the middle (the
 * ends of keys and paths matter most); CUP_FIT_NONE only shortens. Control characters and bytes
 * that are no UTF-8 become '?'. Every character counts as one column. */
void cup_print_fit(const struct cup_terminal *terminal, struct cup_text text, unsigned width,
                   enum cup_fit fit);

/* The width of a text in columns. */
unsigned cup_text_columns(struct cup_text text);

/* Prints text in lines of the terminal's width, each after `indent` spaces (the first too). */
void cup_print_wrapped(const struct cup_terminal *terminal, enum cup_style style, unsigned indent,
                       const char *text);

/* As cup_print_wrapped(), when `indent` columns of the first line are already printed. */
void cup_print_hanging(const struct cup_terminal *terminal, enum cup_style style, unsigned indent,
                       const char *text);

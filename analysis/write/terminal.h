/* The screen: its width, whether it takes colours, and texts that fit. */
#ifndef CUPPING_ANALYSIS_WRITE_TERMINAL_H
#define CUPPING_ANALYSIS_WRITE_TERMINAL_H

#include <stdbool.h>
#include <stdio.h>

#include "analysis/base/intern.h"

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
};

/* Where the report is a part of a page of HTML. */
struct cup_html {
    char label[80]; /* of the section: the captions of its tables */
    bool open;      /* it has to be closed */
    FILE *contents; /* not owned; takes a link to each section, as items of a list; may be NULL */
};

struct cup_terminal {
    FILE *out; /* not owned */
    unsigned width;
    bool colour;
    struct cup_html *html; /* not owned; NULL: a terminal or a file; else HTML is printed */
};

/* Width: COLUMNS, else what the terminal says, else 80. Colour: only on a terminal, and not with
 * NO_COLOR or TERM=dumb. */
void cup_terminal_open(struct cup_terminal *terminal, FILE *out);

/* Prints, styled where there is colour. In HTML, without its leading and final newlines. */
__attribute__((format(printf, 3, 4))) void cup_print(const struct cup_terminal *terminal,
                                                     enum cup_style style, const char *format, ...);

enum cup_fit { CUP_FIT_LEFT, CUP_FIT_RIGHT, CUP_FIT_NONE };

/* Prints a text in exactly `width` columns: filled up with spaces on the other side, or shortened
 * in the middle (the ends of keys and paths matter most); CUP_FIT_NONE only shortens. Control
 * characters and bytes that are no UTF-8 become '?'. Every character counts as one column. */
void cup_print_fit(const struct cup_terminal *terminal, struct cup_text text, unsigned width,
                   enum cup_fit fit);

/* Columns that a text takes. */
unsigned cup_text_columns(struct cup_text text);

/* Prints text in lines of the terminal's width, each after `indent` spaces (the first too). */
void cup_print_wrapped(const struct cup_terminal *terminal, enum cup_style style, unsigned indent,
                       const char *text);

/* As cup_print_wrapped(), when `indent` columns of the first line are already printed. */
void cup_print_hanging(const struct cup_terminal *terminal, enum cup_style style, unsigned indent,
                       const char *text);

#endif

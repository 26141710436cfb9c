/* Tables: cells are collected, then printed in columns that fit the screen, or as HTML. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "analysis/base/units.h"
#include "analysis/base/value.h"
#include "analysis/write/terminal.h"

struct cup_column {
    const char *heading;
    enum cup_fit fit; /* CUP_FIT_LEFT for texts, which are shortened on narrow screens */
    unsigned rank; /* 0: always shown; otherwise hidden on narrow screens, the highest rank first */
};

enum { CUP_TABLE_COLUMNS = 16 };

struct cup_table_cell {
    char *text;       /* owned; NULL without memory */
    double number;    /* the value of the text; NAN if it is no number */
    bool is_text;     /* the number is only for sorting */
    const char *unit; /* of the number; "": none */
    char *below; /* owned; of the last cell of a row: see cup_table_add_below(); NULL: nothing */
};

struct cup_table {
    const struct cup_column *columns; /* not owned */
    unsigned column_count;            /* at most CUP_TABLE_COLUMNS */
    bool names_hidden;                /* also print which columns the width of the terminal hid */
    struct cup_table_cell *cells;     /* owned, row after row */
    size_t cell_count, cell_room;
};

void cup_table_start(struct cup_table *table, const struct cup_column *columns, unsigned count);

/* Each adds the next cell of the row. Without memory, the cell is empty. */
void cup_table_add(struct cup_table *table, struct cup_text text);
void cup_table_add_string(struct cup_table *table, const char *string);
void cup_table_add_value(struct cup_table *table, struct cup_value value, enum cup_unit unit);
/* The text stands for the number, by which a page sorts. In CSV of a page, the cell is the number,
 * with its unit in the heading, or the text (the second function). */
void cup_table_add_number(struct cup_table *table, const char *text, double number,
                          enum cup_unit unit);
void cup_table_add_sorted(struct cup_table *table, const char *text, double number);

/* Adds a text in a line of its own below the row that was added last. Not in HTML. */
void cup_table_add_below(struct cup_table *table, const char *string);

/* Prints it under a line of headings, each row after two spaces, and frees the cells.
 * Without cells prints nothing. */
void cup_table_finish(struct cup_table *table, const struct cup_terminal *terminal);

/* True if a column whose width is not 0 (widths NULL: any column) has a heading. */
bool cup_table_has_headings(const struct cup_table *table, const unsigned *widths);

/* Frees the cells and prints nothing. */
void cup_table_drop(struct cup_table *table);

/* Reasons below a table, each printed once: "n/a [2]" in a cell, "[2] why" below. */
enum { CUP_FOOTNOTES_MOST = 12 };

struct cup_footnotes {
    const char *texts[CUP_FOOTNOTES_MOST]; /* not owned */
    size_t count;
};

/* Adds a cell "n/a [N]" for a value that is not known, and its reason. If there are too many
 * reasons, they share the last number. */
void cup_table_add_missing(struct cup_table *table, struct cup_footnotes *footnotes,
                           const char *reason);

void cup_footnotes_print(const struct cup_footnotes *footnotes,
                         const struct cup_terminal *terminal);

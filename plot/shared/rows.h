/* Rows with names and one bar each, stacked from parts of a few kinds. */
#pragma once

#include "plot/figure/theme.h"
#include "plot/figure/ticks.h"
#include "plot/shared/plot.h"

enum { CUP_ROWS_SHOWN = 30, CUP_BAR_KINDS = 8, CUP_ROW_TEXT = 96 };

struct cup_bar_kind {
    const char *name; /* in the legend; NULL: not in the legend */
    enum cup_paint paint;
};

struct cup_row {
    double parts[CUP_BAR_KINDS]; /* one for each of plot->kinds, in this order; 0: none; NAN: not
                                    known */
    char text[CUP_ROW_TEXT];     /* behind the bar, if there is room */
};

struct cup_rows {
    const char *what; /* what a row is: "hosts" */
    const char *name; /* name of the x axis */
    enum cup_axis_unit unit;
    double whole; /* end of the axis; 0: the longest bar decides */
    double room;  /* free space to the right of the longest bar, as a share of that bar. Above 0,
                     texts that do not fit to the right of their bar are left out. */
    const struct cup_bar_kind *kinds;
    size_t kind_count;
    struct cup_row rows[CUP_ROWS_SHOWN];
    struct cup_text names[CUP_ROWS_SHOWN];
    size_t count;
    double mark; /* value of a line across all rows; 0: none */
    const char *mark_name;
};

/* Makes empty rows in the arena. NULL without memory. */
struct cup_rows *cup_rows_make(struct cup_arena *arena, const struct cup_bar_kind *kinds,
                               size_t kind_count, const char *what, const char *name,
                               enum cup_axis_unit unit);

/* Adds a row with one part; more parts may be set in the result. NULL if there are CUP_ROWS_SHOWN.
 */
struct cup_row *cup_rows_add(struct cup_rows *rows, struct cup_text name, size_t kind,
                             double value);

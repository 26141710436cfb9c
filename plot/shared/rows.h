/* Numbers with names: one bar a row, stacked from parts of a few kinds. */
#ifndef CUPPING_PLOT_SHARED_ROWS_H
#define CUPPING_PLOT_SHARED_ROWS_H

#include "plot/figure/theme.h"
#include "plot/figure/ticks.h"
#include "plot/shared/plot.h"

enum { CUP_ROWS_SHOWN = 30, CUP_BAR_KINDS = 8, CUP_ROW_TEXT = 96 };

struct cup_bar_kind {
    const char *name; /* in the legend; NULL: not there */
    enum cup_paint paint;
};

struct cup_row {
    double parts[CUP_BAR_KINDS]; /* as plot->kinds, one behind the other; 0: none; NAN: not known */
    char text[CUP_ROW_TEXT];     /* behind the bar, where there is room */
};

struct cup_rows {
    const char *what; /* of the rows: "hosts" */
    const char *name; /* of what the bars are long by */
    enum cup_axis_unit unit;
    double whole; /* where the axis ends; 0: where the longest bar does */
    double room;  /* behind that, as a share of it: texts stand there or not at all */
    const struct cup_bar_kind *kinds;
    size_t kind_count;
    struct cup_row rows[CUP_ROWS_SHOWN];
    struct cup_text names[CUP_ROWS_SHOWN];
    size_t count;
    double mark; /* a line across all rows; 0: none */
    const char *mark_name;
};

/* In the arena; NULL without memory. */
struct cup_rows *cup_rows_make(struct cup_arena *arena, const struct cup_bar_kind *kinds,
                               size_t kind_count);

/* The next row, which is of one kind; NULL once there are CUP_ROWS_SHOWN. */
struct cup_row *cup_rows_add(struct cup_rows *rows, struct cup_text name, size_t kind,
                             double value);

#endif

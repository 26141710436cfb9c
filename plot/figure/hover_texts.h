/* Hover texts of marks: a page shows them when the pointer is at a mark. */
#pragma once

#include "plot/figure/figure.h"

/* "workers: 4 at 2 min 05 s" */
void cup_hover_point(struct cup_figure *figure, struct cup_point at, double x, double y,
                     const struct cup_axis *axis, struct cup_colour colour);

/* "20 ms to 50 ms: 12" */
void cup_hover_column(struct cup_figure *figure, struct cup_box box, double from, double to,
                      double high, struct cup_colour colour);

/* "worker 1, process: 10 s to 12 s"; where bars are amounts, "worker 1, process: 2 s" */
void cup_hover_bar(struct cup_figure *figure, struct cup_box box, size_t row, double from,
                   double to, struct cup_colour colour);

/* "w2: 80 %, 10 s to 12 s" */
void cup_hover_heat(struct cup_figure *figure, struct cup_box box, size_t row, double from,
                    double to, double percent, struct cup_colour colour);

/* "root://door:1094, wn17: 20 ms" */
void cup_hover_cell(struct cup_figure *figure, struct cup_box box, size_t row,
                    struct cup_text column, const char *value, struct cup_colour colour);

/* A grid of values that fills the area, row by row from the top; the axes are linear. NAN: not
 * known. Each hover text covers a block of cells. */
struct cup_grid_values {
    const double *values;
    size_t columns, rows;
    bool sums;        /* the text has the sum of a block; else the mean */
    double times;     /* factor of the value in the text */
    const char *what; /* behind the value: " chunks", " %" */
};

/* "wall time 2 s to 3 s, 4k to 6k: 812 chunks". Empty blocks get no text. */
void cup_hover_grid(struct cup_figure *figure, const struct cup_grid_values *grid);

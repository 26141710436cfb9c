/* Parts of a figure: its axes, and texts in lines. figure.c puts them in their places. */
#ifndef CUPPING_PLOT_FIGURE_AXES_H
#define CUPPING_PLOT_FIGURE_AXES_H

#include "plot/figure/figure.h"

/* ---- lines of text ------------------------------------------------------------------------ */

enum { CUP_LINES = 4 };

struct cup_lines {
    char lines[CUP_LINES][CUP_FITTED];
    size_t count;
};

/* Breaks a text between words; what does not fit in `most` lines is shortened. */
void cup_lines_wrap(struct cup_lines *lines, struct cup_canvas *canvas, const char *text,
                    double width, size_t most, const struct cup_lettering *lettering);

/* How far the lines of a text are from each other. */
double cup_line_step(const struct cup_lettering *lettering);

/* ---- axes --------------------------------------------------------------------------------- */

struct cup_lettering cup_axis_lettering(const struct cup_figure *figure,
                                        const struct cup_axis *axis);

/* Of the names of rows: not higher than those. */
struct cup_lettering cup_names_lettering(const struct cup_figure *figure);

/* Chooses ticks whose texts leave room for each other on an axis that goes from `from` to `to`. */
void cup_axis_fit(const struct cup_figure *figure, struct cup_axis *axis, double from, double to);

/* The widest text beside a tick, or of a name. */
double cup_axis_text_width(const struct cup_figure *figure, const struct cup_axis *axis);

/* "data rate [MB/s]" */
enum { CUP_AXIS_NAME = 128 };
char *cup_axis_full_name(char to[CUP_AXIS_NAME], const struct cup_axis *axis);

void cup_draw_grid(const struct cup_figure *figure);
void cup_draw_axes(const struct cup_figure *figure); /* lines, ticks and their texts */

#endif

/* Parts of a figure: axes, and texts of several lines. figure.c decides where they are. */
#pragma once

#include "plot/figure/figure.h"

/* ---- lines of text ------------------------------------------------------------------------ */

enum { CUP_LINES = 4 };

struct cup_lines {
    char lines[CUP_LINES][CUP_FITTED];
    size_t count;
};

/* Breaks a text between words into at most `most` lines; the last line is shortened if needed. */
void cup_lines_wrap(struct cup_lines *lines, struct cup_canvas *canvas, const char *text,
                    double width, size_t most, const struct cup_lettering *lettering);

/* The distance between lines of a text, in points. */
double cup_line_step(const struct cup_lettering *lettering);

/* ---- axes --------------------------------------------------------------------------------- */

struct cup_lettering cup_axis_lettering(const struct cup_figure *figure,
                                        const struct cup_axis *axis);

/* The lettering of row names: not higher than the rows. */
struct cup_lettering cup_names_lettering(const struct cup_figure *figure);

/* Chooses ticks with texts that do not touch, for an axis from `from` to `to` (points). */
void cup_axis_fit(const struct cup_figure *figure, struct cup_axis *axis, double from, double to);

/* The width of the widest text at a tick, in points. */
double cup_axis_text_width(const struct cup_figure *figure, const struct cup_axis *axis);

/* Prints the name with the unit: "data rate [MB/s]". Returns `to`. */
enum { CUP_AXIS_NAME = 128 };
char *cup_axis_full_name(char to[CUP_AXIS_NAME], const struct cup_axis *axis);

void cup_draw_grid(const struct cup_figure *figure);
void cup_draw_axes(const struct cup_figure *figure); /* lines, ticks and their texts */

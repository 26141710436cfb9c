/* A picture with axes. The figure owns title, axes, ticks, legend and caption, and their places. A
 * chart fills in axes and legend, opens the figure, puts marks (marks.h) into it, and closes it:
 *
 *     figure->x = (struct cup_axis){.name = "events", .unit = CUP_AXIS_COUNT, .high = 5000};
 *     figure->y = (struct cup_axis){.name = "time", .unit = CUP_AXIS_SECONDS, .high = 12};
 *     cup_figure_add_key(figure, CUP_KEY_DOT, colour, "TTbar");
 *     cup_figure_open(figure);
 *     cup_mark_dots(...);
 *     cup_figure_close(figure);
 *
 * No text is cut and none covers another, at any size: texts without room are wrapped or shortened
 * in the middle; numbers at ticks are left out. */
#pragma once

#include "analysis/base/intern.h"
#include "plot/figure/canvas.h"
#include "plot/figure/ticks.h"

struct cup_axis {
    const char *name; /* without its unit; NULL: the figure has no such axis */
    enum cup_axis_unit unit;
    bool log;
    bool amounts;     /* bars are amounts: their hover texts say how long they are */
    bool exact;       /* the axis ends at `low` and `high`, as time does; else at ticks */
    double low, high; /* range of the data; see cup_scale_make() */
    bool coloured;    /* its texts have `colour`, like the marks whose values it shows */
    struct cup_colour colour;
    /* Names in place of numbers. For y: of rows, from the top. For x: short names of columns, from
     * the left; each column is one unit wide. */
    const struct cup_text *names;
    size_t name_count;

    /* Set when the figure is opened. */
    struct cup_scale scale;
    struct cup_ticks ticks;
};

enum cup_key_mark {
    CUP_KEY_LINE,
    CUP_KEY_BOX,
    CUP_KEY_DOT,
    CUP_KEY_BAND,
    CUP_KEY_DASHES,
    CUP_KEY_THIN,
    CUP_KEY_NONE, /* a text without a mark */
};

struct cup_key {
    char text[200];
    enum cup_key_mark mark;
    struct cup_colour colour;
    double opacity; /* of boxes and dots */
};
enum { CUP_KEYS = 12 };

enum { CUP_CAPTION = 900 };

struct cup_figure {
    struct cup_canvas *canvas;
    const struct cup_theme *theme;
    const char *title, *caption;
    char longer_caption[CUP_CAPTION]; /* the caption, if something was added to it */
    struct cup_axis x, y, right;
    struct cup_key keys[CUP_KEYS];
    size_t key_count;
    struct cup_box area; /* within the axes; set by cup_figure_open() */
    bool high_rows;      /* bars fill their rows, however few rows there are */

    struct cup_colour bar; /* colour of the last bar drawn, for cup_mark_bar_text() */
};

/* The axis of time since the run began, and the part of it from `from` on; `seconds`: duration of
 * the run. */
struct cup_axis cup_run_axis(double seconds);
struct cup_axis cup_run_axis_from(double from, double seconds);

/* Axes from 0: one that ends at a tick, with some room above the largest value; one that ends at
 * `high`; and one with names. */
struct cup_axis cup_axis_up_to(const char *name, enum cup_axis_unit unit, double most);
struct cup_axis cup_axis_exact(const char *name, enum cup_axis_unit unit, double high);
struct cup_axis cup_axis_names(const char *name, const struct cup_text *names, size_t count);

/* The axis with texts in a colour. */
struct cup_axis cup_axis_coloured(struct cup_axis axis, struct cup_colour colour);

/* Adds an entry to the legend. If there are more than CUP_KEYS, the last one says "and N more". */
__attribute__((format(printf, 4, 5))) void cup_figure_add_key(struct cup_figure *figure,
                                                              enum cup_key_mark mark,
                                                              struct cup_colour colour,
                                                              const char *format, ...);

/* Gives the last entry the opacity of the boxes or dots that it stands for. */
void cup_figure_fade_key(struct cup_figure *figure, double opacity);

void cup_figure_open(struct cup_figure *figure);
void cup_figure_close(struct cup_figure *figure);

static inline double cup_x(const struct cup_figure *figure, double value)
{
    return cup_scale_place(&figure->x.scale, value);
}

static inline double cup_y(const struct cup_figure *figure, double value)
{
    return cup_scale_place(&figure->y.scale, value);
}

/* How many of `rows` rows with names fit into the figure. */
size_t cup_rows_that_fit(const struct cup_figure *figure, size_t rows);

/* Gives the y axis the names of the first `shown` of `count` rows. If not all are shown, adds to
 * the caption how many are. */
void cup_figure_set_rows(struct cup_figure *figure, const char *name, const struct cup_text *names,
                         size_t shown, size_t count);

/* Rows with names: the top of a row, and the height of each, in points. */
double cup_row_top(const struct cup_figure *figure, size_t row);
double cup_row_height(const struct cup_figure *figure);

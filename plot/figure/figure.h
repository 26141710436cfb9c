/* A picture with axes: the one owner of titles, axes, ticks, legends and captions, and of where
 * they are. A chart fills in what is shown, opens the figure, puts marks (marks.h) into it, and
 * closes it:
 *
 *     figure->x = (struct cup_axis){.name = "events", .unit = CUP_AXIS_COUNT, .high = 5000};
 *     figure->y = (struct cup_axis){.name = "time", .unit = CUP_AXIS_SECONDS, .high = 12};
 *     cup_figure_add_key(figure, "TTbar", 5, CUP_KEY_DOT, colour);
 *     cup_figure_open(figure);
 *     cup_mark_dots(...);
 *     cup_figure_close(figure);
 *
 * No text is cut and none covers another, whatever the size: what has no room is wrapped, shortened
 * in its middle, or, a number beside a tick, left out. */
#ifndef CUPPING_PLOT_FIGURE_FIGURE_H
#define CUPPING_PLOT_FIGURE_FIGURE_H

#include "analysis/base/intern.h"
#include "plot/figure/canvas.h"
#include "plot/figure/ticks.h"

struct cup_axis {
    const char *name; /* without its unit; NULL: there is no such axis */
    enum cup_axis_unit unit;
    bool log;
    bool exact;       /* it ends where the data do, as time does; else at a tick */
    double low, high; /* of the data; see cup_scale_make() */
    bool coloured;    /* its texts are in the colour of what is drawn on it: */
    struct cup_colour colour;
    /* Of rows, from the top, in place of numbers; of x: short ones of columns, from the left, which
     * are one unit wide each. */
    const struct cup_text *names;
    size_t name_count;

    /* Filled in as the figure is opened. */
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
};
enum { CUP_KEYS = 12 };

struct cup_figure {
    struct cup_canvas *canvas;
    const struct cup_theme *theme;
    const char *title, *caption;
    struct cup_axis x, y, right;
    struct cup_key keys[CUP_KEYS];
    size_t key_count;
    struct cup_box area; /* within the axes; from cup_figure_open() on */

    struct cup_colour bar; /* of the last one drawn: see cup_mark_bar_text() */
};

/* Of time since the run began, which took so many seconds. */
struct cup_axis cup_run_axis(double seconds);

/* A line of the legend; beyond CUP_KEYS the last one says how many more there are. */
void cup_figure_add_key(struct cup_figure *figure, const char *text, size_t length,
                        enum cup_key_mark mark, struct cup_colour colour);

void cup_figure_open(struct cup_figure *figure);
void cup_figure_close(struct cup_figure *figure);

/* For what stands in the place of axes: a title and a caption, and all between them is the area. */
void cup_figure_open_bare(struct cup_figure *figure);

static inline double cup_x(const struct cup_figure *figure, double value)
{
    return cup_scale_place(&figure->x.scale, value);
}

static inline double cup_y(const struct cup_figure *figure, double value)
{
    return cup_scale_place(&figure->y.scale, value);
}

/* How many of so many rows with names there is room for. */
size_t cup_rows_that_fit(const struct cup_figure *figure, size_t rows);

/* Adds to the caption, in `to`, how many of the rows are shown, if not all are. */
enum { CUP_CAPTION = 900 };
void cup_caption_add_rows(struct cup_figure *figure, size_t shown, size_t rows,
                          char to[CUP_CAPTION]);

/* From the top, of rows with names: where row n begins, and how high each is. */
double cup_row_top(const struct cup_figure *figure, size_t row);
double cup_row_height(const struct cup_figure *figure);

#endif

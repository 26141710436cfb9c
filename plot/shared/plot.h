/* What a plot is: a row of the table (plot/plots.c), a function that makes its data from a run, and
 * a function that draws them. docs/contributing/add-a-plot.md shows how to add one. */
#pragma once

#include <stdio.h>

#include "analysis/metrics/totals.h"
#include "plot/figure/arena.h"
#include "plot/figure/figure.h"

/* What the data of a plot are made from, and what its maker writes about them. */
struct cup_plot_input {
    const struct cup_totals *totals;  /* of the run; NULL for a plot of several runs */
    const struct cup_plot_runs *runs; /* the runs, see runs.h; NULL for a plot of one run */
    struct cup_arena *arena;          /* owns everything that is made */
    const char *name;                 /* of the plot; set by cup_plot_make() */
    char reason[240];  /* why the plot cannot be drawn; set by cup_plot_unavailable() */
    char caption[560]; /* what was counted, in which bins, and who measured it */
};

/* What a plot shows of tasks. It matters where a merge has summed up most of them. */
enum cup_plot_of {
    CUP_PLOT_OF_SUMS,         /* sums, which are those of all tasks anyway */
    CUP_PLOT_OF_ALL_TASKS,    /* something of each task or chunk: cannot be drawn then */
    CUP_PLOT_OF_SINGLE_TASKS, /* tasks one by one: then those that were kept, as the caption says */
};

struct cup_plot {
    const char *name; /* on the command line and of files: letters, digits, '-'; never changes */
    const char *title;
    const char *answers; /* the question that the plot answers, in one line */
    /* Returns the data, in the arena. NULL: the plot cannot be drawn from this run, and
     * input->reason says why; an empty reason means out of memory. */
    const void *(*make)(struct cup_plot_input *input);
    void (*draw)(struct cup_figure *figure, const void *data);
    enum cup_plot_of of;
};

/* For captions of plots of one run: "; Dask's own connections are left out", or nothing if the run
 * did not use Dask. */
const char *cup_plot_left_out_connections(const struct cup_plot_input *input);

struct cup_plot_table {
    const struct cup_plot *rows;
    size_t count;
};

/* NULL: the table has no plot of that name. */
const struct cup_plot *cup_plot_find(const struct cup_plot_table *table, const char *name);

/* Makes the data for cup_plot_draw(). Returns 0; 1 if the plot cannot be drawn from this run, and
 * input->reason says why; -1 and *error. Clear the arena when the data are no longer needed. */
int cup_plot_make(const struct cup_plot *plot, struct cup_plot_input *input, const void **data,
                  struct cup_error *error);

/* ---- for data_*.c ------------------------------------------------------------------------- */

/* Sets the reason why the plot cannot be drawn. Returns NULL. */
__attribute__((format(printf, 2, 3))) const void *cup_plot_unavailable(struct cup_plot_input *input,
                                                                       const char *format, ...);

__attribute__((format(printf, 2, 3))) void cup_plot_set_caption(struct cup_plot_input *input,
                                                                const char *format, ...);

/* Prints "100,000 chunks", "1 chunk". Returns `to`. */
char *cup_count_text(char to[64], uint64_t count, const char *what);
/* Prints "3 files (of 5)"; if the part is the whole, as cup_count_text(). Returns `to`. */
char *cup_part_text(char to[128], uint64_t part, uint64_t whole, const char *what);

struct cup_drawing {
    struct cup_canvas canvas;
    const struct cup_bytes *bytes; /* the file, or the shapes for a page */
    struct cup_key keys[CUP_KEYS]; /* the legend */
    size_t key_count;
    char caption[1000];      /* with the run's name and date */
    const char *own_caption; /* in `caption`, without them */
};

/* Draws the data that cup_plot_make() made of the input, for a file or for a page. The style is a
 * sheet without name, title and date, which are the plot's. Returns 0; close drawing->canvas when
 * the drawing is no longer needed. Returns -1 and *error if it fails; then there is nothing to
 * close.
 */
int cup_plot_draw(const struct cup_plot *plot, const struct cup_plot_input *input, const void *data,
                  const struct cup_sheet *style, struct cup_drawing *drawing,
                  struct cup_error *error);

/* Prints the name of a run: that of its directory. */
void cup_plot_run_name(char *to, size_t room, const struct cup_profile *profile);

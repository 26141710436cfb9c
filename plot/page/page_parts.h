/* Parts of a page. Plots: each is a figure with its question, its picture, and switches that hide
 * colours. */
#pragma once

#include <stdio.h>

#include "plot/shared/runs.h"

struct cup_page_plots {
    const struct cup_plot_table *table;
    const struct cup_totals *totals;  /* NULL: the page is of several runs */
    const struct cup_plot_runs *runs; /* NULL: of one run */
    FILE *contents;                   /* not owned; gets a list item with a link to each plot */
    FILE *left_out; /* not owned; gets a list item with the reason for each plot left out */
    struct cup_error *error;
};

/* Sets *figure to the plot as HTML, to be freed; NULL if it cannot be drawn. Returns 0, or -1 and
 * *error. */
int cup_page_plot(const struct cup_page_plots *plots, const struct cup_plot *plot, char **figure);

/* Writes a plot within a page. Its colours are the page's, which may be light or dark; its texts
 * are text elements; places with a hover text are transparent boxes with a title. `shapes` is what
 * cup_plot_draw() made of the plot on the canvas, for a page. The caption of the picture shows only
 * when it is saved as a file: the page has it as text of its own. */
void cup_page_svg(FILE *out, const struct cup_plot *plot, const struct cup_canvas *canvas,
                  const struct cup_bytes *shapes);

/* ---- stacks ------------------------------------------------------------------------------- */

/* The part with stacks: an explanation, and the data that flame.js draws. */

/* True if there are stacks to show: of the run, or of at least two runs including the baseline. */
bool cup_page_has_flame(const struct cup_totals *totals);
bool cup_page_has_flame_of_runs(const struct cup_plot_runs *runs);

/* Writes the content of the part. Returns 0, or -1 without memory. */
int cup_page_flame(FILE *out, const struct cup_totals *totals);
int cup_page_flame_of_runs(FILE *out, const struct cup_plot_runs *runs);

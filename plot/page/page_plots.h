/* The plots of a page: each a figure with its question, its picture, and switches of its colours.
 */
#ifndef CUPPING_PLOT_PAGE_PAGE_PLOTS_H
#define CUPPING_PLOT_PAGE_PAGE_PLOTS_H

#include <stdio.h>

#include "plot/plots.h"

struct cup_page_plots {
    const struct cup_totals *totals;
    const struct cup_plot_runs *runs; /* in place of totals: the page is of several runs */
    FILE *out;                        /* not owned, as the others */
    FILE *contents;                   /* takes a link to each that is drawn, as items of a list */
    FILE *left_out;                   /* takes the others, and why, likewise */
    struct cup_error *error;
};

/* The first ones, which go over the whole run, or all others. Returns 0, or -1 and *error. */
int cup_page_plots_front(const struct cup_page_plots *plots);
int cup_page_plots_others(const struct cup_page_plots *plots);

/* Likewise, those of several runs. */
int cup_page_plots_of_runs(const struct cup_page_plots *plots);

#endif

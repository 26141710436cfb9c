/* The plots of a page: each a figure with its question, its picture, and switches of its colours.
 */
#ifndef CUPPING_PLOT_PAGE_PAGE_PLOTS_H
#define CUPPING_PLOT_PAGE_PAGE_PLOTS_H

#include <stdio.h>

#include "plot/shared/plot.h"

struct cup_page_plots {
    const struct cup_plot_table *table;
    const struct cup_totals *totals;
    const struct cup_plot_runs *runs; /* in place of totals: the page is of several runs */
    FILE *out;                        /* not owned, as the others */
    FILE *contents;                   /* takes a link to each that is drawn, as items of a list */
    FILE *left_out;                   /* takes the others, and why, likewise */
    struct cup_error *error;
};

/* Writes the plots at the front of the page of one run. Returns 0, or -1 and *error. */
int cup_page_plots_front(const struct cup_page_plots *plots);

/* Writes all plots of the table that are not at the front. Returns 0, or -1 and *error. */
int cup_page_plots_others(const struct cup_page_plots *plots);

#endif

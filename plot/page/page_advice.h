/* The advice of a page, with links to the plots and tables that are its evidence. */
#ifndef CUPPING_PLOT_PAGE_PAGE_ADVICE_H
#define CUPPING_PLOT_PAGE_PAGE_ADVICE_H

#include <stddef.h>
#include <stdio.h>

#include "plot/shared/plot.h"

/* Writes the advice as a list. `contents` is the HTML of the links to all plots and tables of the
 * page; only these are linked to. Returns the number of pieces of advice. */
size_t cup_page_advice(FILE *out, const struct cup_totals *totals,
                       const struct cup_plot_table *table, const char *contents);

#endif

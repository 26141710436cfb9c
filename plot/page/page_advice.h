/* The advice of a page, with links to the plots and tables in which its figures are seen. */
#ifndef CUPPING_PLOT_PAGE_PAGE_ADVICE_H
#define CUPPING_PLOT_PAGE_PAGE_ADVICE_H

#include <stddef.h>
#include <stdio.h>

#include "plot/shared/plot.h"

/* As a list. `contents` are the links to what the page has: others would lead nowhere. Returns how
 * many sentences there are. */
size_t cup_page_advice(FILE *out, const struct cup_totals *totals,
                       const struct cup_plot_table *table, const char *contents);

#endif

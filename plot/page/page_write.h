/* `cupping plot --html`: a run as one page that needs no other file: the summary, the most
 * important plots, advice, the tables of the report, and all other plots. */
#ifndef CUPPING_PLOT_PAGE_PAGE_WRITE_H
#define CUPPING_PLOT_PAGE_PAGE_WRITE_H

#include "analysis/write/output.h"
#include "plot/shared/plot.h"

/* The profile must be loaded with counters. Returns 0, or -1 and *error; errors of writing show
 * when `output` is closed. */
int cup_page_write(const struct cup_totals *totals, const struct cup_plot_table *table,
                   const struct cup_output *output, struct cup_error *error);

#endif

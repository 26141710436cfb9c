/* `cupping plot --html`: a run as one page that needs nothing besides itself: the summary, the
 * plots that matter the most, advice, the report's tables, and all other plots. */
#ifndef CUPPING_PLOT_PAGE_PAGE_WRITE_H
#define CUPPING_PLOT_PAGE_PAGE_WRITE_H

#include "analysis/write/output.h"
#include "plot/shared/plot.h"

/* The profile must have the counters of every task. Returns 0, or -1 and *error; `output` tells
 * whether everything was written. */
int cup_page_write(const struct cup_totals *totals, const struct cup_plot_table *table,
                   const struct cup_output *output, struct cup_error *error);

#endif

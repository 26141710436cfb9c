/* `cupping plot A B --html`: several runs on one page that needs no other file: their plots, and
 * the tables of `cupping compare`. */
#ifndef CUPPING_PLOT_PAGE_PAGE_RUNS_H
#define CUPPING_PLOT_PAGE_PAGE_RUNS_H

#include "analysis/write/output.h"
#include "plot/shared/runs.h"

/* Returns 0, or -1 and *error; errors of writing show when `output` is closed. */
int cup_page_runs_write(const struct cup_plot_runs *runs, const struct cup_plot_table *table,
                        const struct cup_output *output, struct cup_error *error);

#endif

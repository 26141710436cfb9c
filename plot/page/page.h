/* `cupping plot --html`: a page that needs no other file. */
#pragma once

#include "analysis/write/output.h"
#include "plot/shared/runs.h"

/* Writes the page of a run: the summary, findings with the plots that prove them, the most
 * important plots, the tables of the report, and all other plots. `title`: the user's; NULL: the
 * name of the run. The profile must be loaded with counters. Returns 0, or -1 and *error; errors of
 * writing show when `output` is closed. */
int cup_page_write(const struct cup_totals *totals, const struct cup_plot_table *table,
                   const char *title, const struct cup_output *output, struct cup_error *error);

/* Writes the page of several runs: their plots, and the tables of `cupping compare`. Returns like
 * cup_page_write(). */
int cup_page_runs_write(const struct cup_plot_runs *runs, const struct cup_plot_table *table,
                        const char *title, const struct cup_output *output,
                        struct cup_error *error);

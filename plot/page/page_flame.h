/* The part of a page with stacks: an explanation, and the data that flame.js draws. */
#ifndef CUPPING_PLOT_PAGE_PAGE_FLAME_H
#define CUPPING_PLOT_PAGE_PAGE_FLAME_H

#include <stdio.h>

#include "analysis/metrics/totals.h"
#include "plot/shared/runs.h"

/* True if there are stacks to show: of the run, or of at least two runs including the baseline. */
bool cup_page_has_flame(const struct cup_totals *totals);
bool cup_page_has_flame_of_runs(const struct cup_plot_runs *runs);

/* Writes the content of the part. Returns 0, or -1 without memory. */
int cup_page_flame(FILE *out, const struct cup_totals *totals);
int cup_page_flame_of_runs(FILE *out, const struct cup_plot_runs *runs);

#endif

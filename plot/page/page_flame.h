/* The part of a page that shows stacks: data for flame.js, which draws them. */
#ifndef CUPPING_PLOT_PAGE_PAGE_FLAME_H
#define CUPPING_PLOT_PAGE_PAGE_FLAME_H

#include <stdio.h>

#include "analysis/metrics/totals.h"
#include "plot/shared/runs.h"

/* True if there are stacks to show: of a run; of two runs or more, of which the baseline is one. */
bool cup_page_has_flame(const struct cup_totals *totals);
bool cup_page_has_flame_of_runs(const struct cup_plot_runs *runs);

/* Writes the inside of the part. Returns 0, or -1 without memory. */
int cup_page_flame(FILE *out, const struct cup_totals *totals);
int cup_page_flame_of_runs(FILE *out, const struct cup_plot_runs *runs);

#endif

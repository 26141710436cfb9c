/* Several runs of one job as one input of a comparison. */
#pragma once

#include "analysis/compare/figures.h"

/* Fills *side with the medians of two or more runs, and their standard deviations. A figure that
 * one of the runs does not know is null. The side owns the runs (from malloc), also after a
 * failure: cup_figures_free() frees both. Returns 0, or -1 without memory. */
int cup_side_make(struct cup_figures *side, struct cup_figures *runs, size_t count);

/* The threads' time as one stacked bar of a terminal. */
#pragma once

#include "analysis/metrics/sums/budget.h"
#include "analysis/write/terminal.h"

/* Smaller parts get no mark in the bar and no figure in the legend. */
#define CUP_BAR_LEAST_PERCENT 0.1

/* Draws the bar, WIDTH marks long: PERCENT has the share of each part. */
void cup_budget_bar_draw(const struct cup_terminal *terminal,
                         const double percent[CUP_BUDGET_COUNT], unsigned width);

/* Prints the mark of one part, for the legend. */
void cup_budget_bar_mark(const struct cup_terminal *terminal, int part);

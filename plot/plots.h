/* The tables of all plots, in the order in which they are listed and drawn. */
#pragma once

#include "plot/shared/plot.h"

/* Plots of one run, and plots of several. */
extern const struct cup_plot_table cup_plots, cup_run_plots;

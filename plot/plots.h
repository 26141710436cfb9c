/* The tables of all plots, in the order in which they are listed and drawn. */
#pragma once

#include "plot/shared/plot.h"

/* Plots of one run, and plots of several. */
extern const struct cup_plot_table cup_plots, cup_run_plots;

/* Names of the plots of one run that answer most: those that `cupping plot` draws if the user names
 * none. */
enum { CUP_MAIN_PLOTS = 5 };
extern const char *const cup_main_plots[CUP_MAIN_PLOTS];

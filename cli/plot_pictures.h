/* The pictures that `cupping plot` writes into a directory. */
#pragma once

#include "plot/shared/plot.h"
#include "plot/shared/runs.h"

/* What plots are made from: one run or several; the other member is NULL. Both are NULL for a list
 * of plots without a profile. */
struct cup_subject {
    const struct cup_totals *totals;
    const struct cup_plot_runs *runs;
};

enum { CUP_WANTED_MOST = 64 };

/* The plots to draw; if there are none, all. */
struct cup_wanted {
    const struct cup_plot *plots[CUP_WANTED_MOST];
    size_t count;
    bool by_default; /* the user named none of them */
};

/* Returns 0, or -1 and *error if there are too many. */
int cup_wanted_add(struct cup_wanted *wanted, const struct cup_plot *plot, struct cup_error *error);
bool cup_is_wanted(const struct cup_wanted *wanted, const struct cup_plot *plot);

/* Draws the wanted plots into files of the directory, which is created if needed, and prints their
 * paths. Prints a line on standard error for each reason why some cannot be drawn. Returns 0, or -1
 * and *error; it is an error if a plot that the user named cannot be drawn. */
int cup_plot_pictures(const struct cup_subject *subject, const struct cup_wanted *wanted,
                      const char *directory, const struct cup_sheet *style,
                      struct cup_error *error);

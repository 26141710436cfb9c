/* What `cupping plot` writes into a directory. */
#ifndef CUPPING_CLI_PLOT_PICTURES_H
#define CUPPING_CLI_PLOT_PICTURES_H

#include "plot/shared/plot_draw.h"
#include "plot/shared/runs.h"

/* What is drawn from: one of both is NULL, or, for a list without a profile, both are. */
struct cup_subject {
    const struct cup_totals *totals;
    const struct cup_plot_runs *runs;
};

enum { CUP_WANTED_MOST = 64 };

/* The plots that were named; none: all. */
struct cup_wanted {
    const struct cup_plot *plots[CUP_WANTED_MOST];
    size_t count;
};

/* Returns 0, or -1 and *error where there are too many. */
int cup_wanted_add(struct cup_wanted *wanted, const struct cup_plot *plot, struct cup_error *error);
bool cup_is_wanted(const struct cup_wanted *wanted, const struct cup_plot *plot);

/* Draws those of the subject into files of the directory, which is made if it is not there, and
 * prints their paths; a line on standard error for each reason why some were left out. Those that
 * were named and left out are a failure. Returns 0, or -1 and *error. */
int cup_plot_pictures(const struct cup_subject *subject, const struct cup_wanted *wanted,
                      const char *directory, const struct cup_plot_style *style,
                      struct cup_error *error);

#endif

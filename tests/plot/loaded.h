/* A run for plots, loaded from a log that a test has built. */
#pragma once

#include "plot/plots.h"
#include "tests/analysis/support.h"

struct loaded {
    struct log_builder *second; /* another process, set before load_run(); NULL: none */
    struct cup_profile profile;
    struct cup_totals totals;
    struct cup_arena arena;
    struct cup_plot_input input;
};

/* Finishes the log, saves it in a scratch directory, which unload_run() removes, and loads it with
 * counters and, if ACCESSES, access extents. RUN must be zero. The test fails if loading fails. */
void load_run(struct loaded *run, struct log_builder *builder, bool accesses);

/* Frees RUN, also if it was never loaded. */
void unload_run(struct loaded *run);

/* Makes the data of a plot, which live as long as RUN. The test fails if there are none. */
const void *make_plot(struct loaded *run, const char *name);

/* Expects that the plot cannot be drawn and that the reason contains these words. */
void expect_no_plot(struct loaded *run, const char *name, const char *reason);

/* A run as plots see it, of a log that a test has built. */
#ifndef CUPPING_TESTS_PLOT_LOADED_H
#define CUPPING_TESTS_PLOT_LOADED_H

#include "plot/plots.h"
#include "tests/analysis/support.h"

struct loaded {
    struct cup_profile profile;
    struct cup_totals totals;
    struct cup_arena arena;
    struct cup_plot_input input;
};

/* Finishes the log, and loads it with all counters (and strokes, if ACCESSES) by way of a directory
 * of its own, which goes with unload_run. RUN is zero before. Fails the test if it cannot. */
void load_run(struct loaded *run, struct log_builder *builder, bool accesses);

/* Gives all of RUN back; one that was never loaded, too. */
void unload_run(struct loaded *run);

/* The data of a plot, which live as long as RUN; the test fails if there are none. */
const void *make_plot(struct loaded *run, const char *name);

/* There are none, and the reason has these words. */
void expect_no_plot(struct loaded *run, const char *name, const char *reason);

#endif

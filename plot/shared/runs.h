/* Several runs, as their plots name them. */
#ifndef CUPPING_PLOT_SHARED_RUNS_H
#define CUPPING_PLOT_SHARED_RUNS_H

#include "analysis/base/target.h"
#include "analysis/compare/compare.h"
#include "plot/shared/plot.h"

struct cup_plot_runs {
    const struct cup_comparison *comparison;
    const struct cup_target *target;         /* NULL, or without a rate: none */
    struct cup_text names[CUP_COMPARE_MOST]; /* "B: monday" */
    char heading[270];                       /* of captions: which runs, and when */
    int64_t date_ns;                         /* of the first of them; 0: not known */
};

/* In the arena; NULL without memory. */
const struct cup_plot_runs *cup_plot_runs_make(struct cup_arena *arena,
                                               const struct cup_comparison *comparison,
                                               const struct cup_target *target);

/* ---- for data_compare*.c ------------------------------------------------------------------ */

/* Adds to the caption which inputs something is missing of, as a sentence: " n/a: B, D." */
void cup_caption_add_missing(struct cup_plot_input *input, const bool missing[CUP_COMPARE_MOST]);

#endif

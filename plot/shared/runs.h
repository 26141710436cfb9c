/* What plots of several runs are made from: the comparison, and names for captions. */
#pragma once

#include "analysis/base/target.h"
#include "analysis/compare/compare.h"
#include "plot/shared/plot.h"

struct cup_plot_runs {
    const struct cup_comparison *comparison;
    const struct cup_target *target;         /* NULL, or a target without a rate: none */
    struct cup_text names[CUP_COMPARE_MOST]; /* "B: monday" */
    char heading[270]; /* begins captions: which runs, and when they started */
    int64_t date_ns;   /* start of the first run, nanoseconds since the epoch; 0: not known */
};

/* Makes names and heading of the runs, in the arena. NULL without memory. */
const struct cup_plot_runs *cup_plot_runs_make(struct cup_arena *arena,
                                               const struct cup_comparison *comparison,
                                               const struct cup_target *target);

/* ---- for data_compare*.c ------------------------------------------------------------------ */

/* Adds to the caption which inputs have no data, as a sentence: " n/a: B, D." */
void cup_caption_add_missing(struct cup_plot_input *input, const bool missing[CUP_COMPARE_MOST]);

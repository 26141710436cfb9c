/* The stacks of a page as one tree that several slices share: all tasks, those of a prefix, a
 * dataset or a worker; or the runs that are compared. */
#ifndef CUPPING_PLOT_FLAME_FLAME_SLICES_H
#define CUPPING_PLOT_FLAME_FLAME_SLICES_H

#include <stdio.h>

#include "analysis/metrics/functions/folded.h"

struct cup_flame_slice {
    const char *group; /* its heading in the list; NULL: none */
    struct cup_text title;
    uint32_t prefix; /* as cup_fold() takes it */
    double per;      /* what amounts are to be divided by: events or tasks; 0: nothing */
};

/* Runs and their baseline, or all tasks and up to eight prefixes, datasets and workers. */
enum { CUP_FLAME_SLICES_MOST = 1 + 3 * 8 };

struct cup_flame_slices {
    const struct cup_call_tree *calls;
    struct cup_flame_slice slices[CUP_FLAME_SLICES_MOST];
    size_t count;
    /* Runs: all have the same boxes, with their samples; slice `baseline` is what the others are
     * compared with. */
    bool compared, by_event;
    size_t baseline;
};

/* Writes them as JSON in one line, for flame.js. Sets amounts[slice][weight of the page] to what
 * there is in all. Returns 0, or -1 without memory. */
enum { CUP_FLAME_SHOWN = 4 };
int cup_flame_slices_put(FILE *out, const struct cup_flame_slices *slices,
                         uint64_t amounts[CUP_FLAME_SLICES_MOST][CUP_FLAME_SHOWN]);

/* Of the weights that a page shows: "CPU time", and the end of its plots' names, "cpu". */
extern const char *const cup_flame_shown_titles[CUP_FLAME_SHOWN];
extern const char *const cup_flame_shown_names[CUP_FLAME_SHOWN];

#endif

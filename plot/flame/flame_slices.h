/* The stacks of a page: one tree of boxes that several slices share. A slice is all tasks, the
 * tasks of a prefix, dataset or worker, or one of several runs. */
#ifndef CUPPING_PLOT_FLAME_FLAME_SLICES_H
#define CUPPING_PLOT_FLAME_FLAME_SLICES_H

#include <stdio.h>

#include "plot/flame/flame.h"

struct cup_flame_slice {
    const char *group; /* heading in the list of slices; NULL: none */
    struct cup_text title;
    uint32_t prefix; /* the parameter of cup_fold() */
    double per;      /* divisor of the amounts: events or tasks; 0: not divided */
};

/* Runs and their baseline, or all tasks and up to eight prefixes, datasets and workers. */
enum { CUP_FLAME_SLICES_MOST = 1 + 3 * 8 };

struct cup_flame_slices {
    const struct cup_call_tree *calls;
    struct cup_flame_slice slices[CUP_FLAME_SLICES_MOST];
    size_t count;
    /* With `compared`, each slice is a run. All runs have the same boxes, so that they can be
     * subtracted, and their numbers of samples. `baseline` is the run that others are compared
     * with. */
    bool compared, by_event;
    size_t baseline;
};

/* Writes the slices as one line of JSON, for flame.js. Sets amounts[slice][weight] to the total of
 * each. Returns 0, or -1 without memory. */
int cup_flame_slices_put(FILE *out, const struct cup_flame_slices *slices,
                         uint64_t amounts[CUP_FLAME_SLICES_MOST][CUP_FLAME_WEIGHTS]);

#endif

/* What functions, lines, packages and the phases of chunks cost: sums over a call tree. `self` is
 * the amount at stacks with the function innermost; `total` includes all that it called, and counts
 * a recursive function once.
 *
 * Native functions have rows of their own and are counted twice on purpose: the innermost Python
 * function has all that its C code did, whether native frames were read or not; the rows of native
 * functions say which C code it was. */
#ifndef CUPPING_ANALYSIS_METRICS_FUNCTIONS_FUNCTIONS_H
#define CUPPING_ANALYSIS_METRICS_FUNCTIONS_FUNCTIONS_H

#include "analysis/metrics/functions/call_tree.h"

struct cup_function_row {
    uint32_t of; /* index in the tree's functions or frames; a package: string of the tree */
    bool user;
    bool first;   /* the sorting's own, with */
    uint64_t key; /* this */
    struct cup_weights self, total;
};

struct cup_function_rows {
    struct cup_function_row *rows; /* owned */
    size_t count;
};

struct cup_functions {
    const struct cup_call_tree *tree;
    struct cup_weights all;
    struct cup_weights unknown; /* part of all: without a stack */
    struct cup_weights native;  /* part of all: with a native frame innermost */
    struct cup_weights phases[CUP_PHASE_COUNT];
    struct cup_function_rows functions, lines, packages; /* lines: index in frames */
    struct cup_function_rows natives, native_packages;   /* native functions, and their packages */
};

/* Of the tasks of PREFIX, or CUP_ALL_PREFIXES. Returns 0, or -1 without memory, with nothing to
 * free. The tree must outlive it. */
int cup_functions_make(struct cup_functions *functions, const struct cup_call_tree *tree,
                       uint32_t prefix);
void cup_functions_free(struct cup_functions *functions);

/* Puts the rows with the most of a weight first: of their own, or with what they called; with
 * USER_FIRST the user's before all others. Rows without any of it come last. */
void cup_function_rows_sort(struct cup_function_rows *rows, enum cup_weight weight, bool total,
                            bool user_first);

#endif

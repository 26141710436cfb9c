/* What functions, their lines, packages and the phases of chunks cost: sums over a call tree. Of
 * each the amount of its own, with it innermost, and that with all that it called, in which a
 * function that calls itself counts once.
 *
 * Native functions are rows apart, and counted twice on purpose: a Python function that is not seen
 * to call another one has all that its C code did, whether native frames were read or not, and the
 * rows of native functions tell which C code that was. */
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
    struct cup_weights unknown; /* of those: with no stack */
    struct cup_weights native;  /* of those: with native frames innermost */
    struct cup_weights phases[CUP_PHASE_COUNT];
    struct cup_function_rows functions, lines, packages; /* lines: index in frames */
    struct cup_function_rows natives, native_packages;   /* native functions, and whose they are */
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

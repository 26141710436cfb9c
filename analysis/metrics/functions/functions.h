/* What functions, lines, packages and the phases of chunks cost: sums over a call tree. `self` is
 * what happened while the function was the innermost one on the stack; `total` includes all
 * functions that it called, and counts a recursive function once.
 *
 * What native functions do is counted twice on purpose: for the innermost Python function, so that
 * this is the same whether native frames were recorded or not; and in the separate rows of native
 * functions, which say what C code it was. */
#pragma once

#include "analysis/metrics/functions/call_tree.h"

struct cup_function_row {
    uint32_t of; /* index in the tree's functions or frames (lines); package: string of the tree */
    bool user;
    bool first;   /* used by cup_function_rows_sort() only */
    uint64_t key; /* used by cup_function_rows_sort() only */
    struct cup_weights self, total;
};

struct cup_function_rows {
    struct cup_function_row *rows; /* owned */
    size_t count;
};

struct cup_functions {
    const struct cup_call_tree *tree;
    struct cup_weights all;
    struct cup_weights unknown; /* part of all: no stack is known */
    struct cup_weights native;  /* part of all: with a native frame innermost */
    struct cup_weights phases[CUP_PHASE_COUNT];
    struct cup_function_rows functions, lines, packages; /* lines: index in frames */
    struct cup_function_rows natives, native_packages;   /* native functions, and their packages */
};

/* Adds up the tasks of PREFIX, or CUP_ALL_PREFIXES. Returns 0; or -1 without memory, with nothing
 * to free. The tree must outlive it. */
int cup_functions_make(struct cup_functions *functions, const struct cup_call_tree *tree,
                       uint32_t prefix);
void cup_functions_free(struct cup_functions *functions);

/* Sorts rows by a weight, the largest first: by `total` if TOTAL, else by `self`. With USER_FIRST
 * all rows of the user's code stand before all others. */
void cup_function_rows_sort(struct cup_function_rows *rows, enum cup_weight weight, bool total,
                            bool user_first);

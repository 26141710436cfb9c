/* A call tree with one weight, for flame graphs: stacks merged by function, or by function and, in
 * the user's functions, line. */
#ifndef CUPPING_ANALYSIS_METRICS_FUNCTIONS_FOLDED_H
#define CUPPING_ANALYSIS_METRICS_FUNCTIONS_FOLDED_H

#include "analysis/metrics/functions/call_tree.h"

struct cup_folded_node {
    uint32_t parent;
    uint32_t function; /* in the tree's functions */
    uint32_t node;     /* in the tree's nodes: the first of those that are one here */
    uint32_t line;     /* of the user's functions, where those are apart; 0: not known, or not */
    uint64_t self, total;
    uint16_t depth; /* of the root: 0 */
    uint8_t phase;  /* enum cup_phase */
};

struct cup_folded {
    struct cup_folded_node *nodes; /* owned; [0] is the root, which is no function; a parent comes
                                      before its children */
    size_t count, room;
};

enum cup_fold_by { CUP_FOLD_FUNCTIONS, CUP_FOLD_USER_LINES };

/* Only nodes with some of the weight, of the tasks of PREFIX or CUP_ALL_PREFIXES. Returns 0, or -1
 * without memory, with nothing to free. */
int cup_fold(struct cup_folded *folded, const struct cup_call_tree *tree, enum cup_weight weight,
             uint32_t prefix, enum cup_fold_by by);
void cup_folded_free(struct cup_folded *folded);

/* "select (mine.py:30)": at LINE, or, if that is 0, where it is defined; control characters and
 * bytes that are no UTF-8 as '?'. `to` has CUP_FRAME_ROOM bytes. Returns `to`. */
char *cup_function_text(const struct cup_call_tree *tree, uint32_t function, uint32_t line,
                        char to[CUP_FRAME_ROOM]);

#endif

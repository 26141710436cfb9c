/* A call tree reduced to one weight, for flame graphs. Nodes of the same function below the same
 * parent become one; in the user's functions, each line can keep a node of its own. */
#pragma once

#include "analysis/metrics/functions/call_tree.h"

struct cup_folded_node {
    uint32_t parent;
    uint32_t function; /* in the tree's functions */
    uint32_t node;     /* the first of the call tree's nodes that were merged into this one */
    uint32_t line; /* the line, if nodes are by line and the function is the user's; else 0, also if
                      not known */
    uint64_t self, total;
    uint16_t depth; /* of the root: 0 */
    uint8_t phase;  /* enum cup_phase */
};

struct cup_folded {
    struct cup_folded_node *nodes; /* owned; [0] is the root, which is no function; a parent stands
                                      before its children */
    size_t count, room;
};

enum cup_fold_by { CUP_FOLD_FUNCTIONS, CUP_FOLD_USER_LINES };

/* Makes the nodes that have some of the weight, from the tasks of PREFIX (or CUP_ALL_PREFIXES, or
 * CUP_SLICE_GROUP + i). Returns 0; or -1 without memory, with nothing to free. */
int cup_fold(struct cup_folded *folded, const struct cup_call_tree *tree, enum cup_weight weight,
             uint32_t prefix, enum cup_fold_by by);
void cup_folded_free(struct cup_folded *folded);

/* Writes a function as "select (mine.py:30)". The number is LINE or, if that is 0, the line of the
 * definition. Control characters and bytes that are not UTF-8 become '?'. Returns `to`. */
char *cup_function_text(const struct cup_call_tree *tree, uint32_t function, uint32_t line,
                        char to[CUP_FRAME_ROOM]);

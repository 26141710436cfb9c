/* Lines of the user's own code, which is what the user can change. */
#pragma once

#include "analysis/metrics/functions/call_tree.h"

/* The innermost frame of the user's code on the stack that ends at NODE; CUP_NOTHING: none. */
uint32_t cup_user_frame(const struct cup_call_tree *tree, uint32_t node);

/* The frame of the user's code in which the threads of tasks spent most of a weight, with what it
 * called outside of that code, and how much; without helper threads, whose waits are not their
 * task's. CUP_NOTHING: none, or no memory. */
uint32_t cup_heaviest_user_frame(const struct cup_call_tree *tree, enum cup_weight weight,
                                 uint64_t *amount);

/* Writes "processor.py:28" into `to`, and returns it. Of a file that may be in a package, also its
 * directory: "tools/cuts.py:3". */
const char *cup_frame_place(const struct cup_call_tree *tree, uint32_t frame,
                            char to[CUP_LINE_ROOM]);

/* Native frames as frames of the call tree: functions by name, the interpreter's own folded. */
#ifndef CUPPING_ANALYSIS_METRICS_FUNCTIONS_NATIVE_FRAMES_H
#define CUPPING_ANALYSIS_METRICS_FUNCTIONS_NATIVE_FRAMES_H

#include "analysis/metrics/functions/call_tree.h"

/* While a tree is made, over all its logs. */
struct cup_native_frames {
    struct cup_call_tree *tree;
    struct cup_pair_map frames; /* by module and offset: index in the tree + 1 */
};

/* Index of a module in the tree's, as a process tells it; CUP_NOTHING without memory. */
uint32_t cup_native_module(struct cup_native_frames *natives, struct cup_text path,
                           struct cup_text build_id, const struct cup_log_header *process);

/* MODULE: index. Returns that of a frame, or CUP_NOTHING without memory. */
uint32_t cup_native_frame(struct cup_native_frames *natives, uint32_t module, uint32_t offset);

/* Index of the frame that stands for native frames that a log leaves out: unlike those of Python,
 * they are missing in the middle of a stack. CUP_NOTHING without memory. */
uint32_t cup_native_gap(struct cup_call_tree *tree);

/* As cup_call_add_node() for a native frame: what the interpreter does between two functions that
 * have names is one frame, and what no Python function is known to have called is above one that is
 * not known, as it is without native frames. */
uint32_t cup_native_add_node(struct cup_call_tree *tree, uint32_t parent, uint32_t frame);

#endif

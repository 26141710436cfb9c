/* Native frames as frames of the call tree: under the name of their function; most functions of the
 * interpreter become one frame, "(interpreter)". */
#ifndef CUPPING_ANALYSIS_METRICS_FUNCTIONS_NATIVE_FRAMES_H
#define CUPPING_ANALYSIS_METRICS_FUNCTIONS_NATIVE_FRAMES_H

#include "analysis/metrics/functions/call_tree.h"

/* State while a tree is made; it lasts over all logs. */
struct cup_native_frames {
    struct cup_call_tree *tree;
    struct cup_pair_map frames; /* by module and offset: index in tree->frames + 1 */
};

/* Adds a module that PROCESS recorded, if the tree does not have it yet. Returns its index in
 * tree->modules, or CUP_NOTHING without memory. */
uint32_t cup_native_module(struct cup_native_frames *natives, struct cup_text path,
                           struct cup_text build_id, const struct cup_log_header *process);

/* The frame for an offset in a module (index in tree->modules). Returns its index in tree->frames,
 * or CUP_NOTHING without memory. */
uint32_t cup_native_frame(struct cup_native_frames *natives, uint32_t module, uint32_t offset);

/* The frame "(native frames left out)". Python frames are missing only at the outer end of a stack,
 * native ones also in the middle of it. Returns its index, or CUP_NOTHING without memory. */
uint32_t cup_native_gap(struct cup_call_tree *tree);

/* As cup_call_add_node(), for a native frame, with three differences. A folded frame of the
 * interpreter gets no node if its caller is a frame of the interpreter, too. A named function of
 * the interpreter whose caller is folded is put next to that folded frame, not below it. And a
 * frame without a known Python caller is put below "(not known)", where it would be counted if
 * native frames were not recorded. */
uint32_t cup_native_add_node(struct cup_call_tree *tree, uint32_t parent, uint32_t frame);

#endif

/* Slices: the datasets and workers whose tasks have weights of their own in the call tree, in
 * addition to the prefixes. And the text that says which tasks a tree is limited to. */
#pragma once

#include "analysis/metrics/functions/call_tree.h"
#include "analysis/metrics/sums/sums.h"

/* Chooses the datasets and the workers with the most task time, up to CUP_SLICES_EACH of each kind;
 * none of a kind that has only one. The caller passes the result as cup_call_ask.slices. Returns 0,
 * or -1 without memory. */
int cup_call_slices_choose(struct cup_call_slices *slices, const struct cup_totals *totals);

/* Name of a slice: the dataset's name, or the worker's name; a worker without a name has its
 * address. */
struct cup_text cup_call_slice_name(const struct cup_profile *profile,
                                    const struct cup_call_slice *slice);

/* Writes which tasks ASK selects, such as " Only tasks of prefix chunk, of dataset TT."; "" if it
 * selects all tasks. Returns `to`. */
enum { CUP_ASK_TEXT = 200 };
char *cup_call_ask_text(char to[CUP_ASK_TEXT], const struct cup_call_ask *ask);

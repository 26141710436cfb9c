/* Which tasks' stacks are shown, and which datasets and workers have sums of their own. */
#ifndef CUPPING_ANALYSIS_METRICS_FUNCTIONS_CALL_SLICES_H
#define CUPPING_ANALYSIS_METRICS_FUNCTIONS_CALL_SLICES_H

#include "analysis/metrics/functions/call_tree.h"
#include "analysis/metrics/sums/sums.h"

/* Chooses the datasets and the workers with the most task time, up to CUP_SLICES_EACH each, if
 * there are two or more. For struct cup_call_ask. Returns 0, or -1 without memory. */
int cup_call_slices_choose(struct cup_call_slices *slices, const struct cup_totals *totals);

/* What a slice is called: the dataset's name, the worker's name or else its address. */
struct cup_text cup_call_slice_name(const struct cup_profile *profile,
                                    const struct cup_call_slice *slice);

/* " Only tasks of prefix chunk, of dataset TT.", or "" of all. Returns `to`. */
enum { CUP_ASK_TEXT = 200 };
char *cup_call_ask_text(char to[CUP_ASK_TEXT], const struct cup_call_ask *ask);

#endif

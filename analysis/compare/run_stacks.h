/* The stacks of runs by the names and files of their functions, so that they can be laid over each
 * other: lines move as files are edited, and several functions of one name (lambdas) are one. The
 * user's files count by their own names, without directories, all cells of notebooks as one. */
#ifndef CUPPING_ANALYSIS_COMPARE_RUN_STACKS_H
#define CUPPING_ANALYSIS_COMPARE_RUN_STACKS_H

#include "analysis/compare/figures.h"
#include "analysis/metrics/functions/call_tree.h"

/* Of one run. It outlives the profile that it is from. */
struct cup_run_stacks {
    struct cup_call_tree tree; /* owned; no lines; all rows are of prefix 0 */
    double events;             /* of used chunks; 0: not known, or not all tasks were asked for */
    double tasks;              /* that did something at stacks */
    bool sampled;              /* CPU time was */
};

/* Keeps those in totals->calls. */
void cup_figures_keep_stacks(struct cup_figures *figures, const struct cup_totals *totals);
void cup_run_stacks_free(struct cup_run_stacks *stacks);

/* NULL, or why the input has none: a sentence without a full stop. */
const char *cup_run_stacks_missing(const struct cup_figures *figures);

/* One tree of the stacks of all COUNT inputs that have some: the prefix of a row is the number of
 * its input. Each node is a function at a place of its own, so there is nothing to fold. Returns 0,
 * or -1 without memory; cup_call_tree_free() in both cases. */
int cup_run_stacks_merge(struct cup_call_tree *merged, const struct cup_figures *inputs,
                         size_t count);

/* What amounts are divided by to be those of each event or, where not all that have stacks know
 * their events, of each task. */
bool cup_run_stacks_by_event(const struct cup_figures *inputs, size_t count);
double cup_run_stacks_divisor(const struct cup_figures *input, bool by_event);

#endif

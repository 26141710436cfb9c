/* Stacks of runs, with functions matched by name and file so that runs can be compared. Line
 * numbers are ignored, because lines move as files are edited; several functions with one name
 * (lambdas) become one. The user's files are matched without their directories, and all notebook
 * cells count as one file. */
#pragma once

#include "analysis/compare/figures.h"

/* The stacks of one run. They stay valid after the profile is freed. */
struct cup_run_stacks {
    struct cup_call_tree tree; /* owned; no lines; all rows are of prefix 0 */
    double events; /* events of used chunks; 0: not known, or only some tasks were selected */
    double tasks;  /* tasks that have stacks */
    bool sampled;  /* the run has CPU samples */
};

/* Copies the stacks in totals->calls into the figures. */
void cup_figures_keep_stacks(struct cup_figures *figures, const struct cup_totals *totals);
void cup_run_stacks_free(struct cup_run_stacks *stacks);

/* Adds the stacks of COUNT runs into those of *side, unless a run has none. */
void cup_run_stacks_keep_sum(struct cup_figures *side, const struct cup_figures *runs,
                             size_t count);

/* NULL, or why the input has none: a sentence without a full stop. */
const char *cup_run_stacks_missing(const struct cup_figures *figures);

/* Merges the stacks of all COUNT inputs into one tree, in which a row's prefix is the number of its
 * input. Functions are already merged, so flame graphs need not fold lines. Returns 0, or -1
 * without memory; cup_call_tree_free() in both cases. */
int cup_run_stacks_merge(struct cup_call_tree *merged, const struct cup_figures *inputs,
                         size_t count);

/* The divisor for amounts per event, or per task if any input with stacks does not know its events.
 */
bool cup_run_stacks_by_event(const struct cup_figures *inputs, size_t count);
double cup_run_stacks_divisor(const struct cup_figures *input, bool by_event);

/* The name by which a user's file is matched: the path without directories, because an analysis may
 * be copied elsewhere. __init__.py keeps its directory. All notebook cells are "notebook", because
 * IPython names a cell after its process and text. The result points into the path, or is constant.
 */
struct cup_text cup_same_file(struct cup_text path);

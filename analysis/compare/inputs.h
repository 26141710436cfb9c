/* What a word of the command line names: a profile, a measurement directory of roastcoffea, or a
 * file that `cupping report --json` made. */
#ifndef CUPPING_INPUTS_H
#define CUPPING_INPUTS_H

#include "analysis/compare/figures.h"

/* Fills *figures. `word` may end with ":N" or ":all", a run of a profile (unless there is a file of
 * the whole name); `run`, which may be NULL, is meant for those that do not. Prints a line on
 * standard error for each damaged log. Returns 0, or -1 and *error. *usage: the words were wrong,
 * not the files. */
int cup_input_open(struct cup_figures *figures, const char *word, const char *run, bool functions,
                   bool *usage, struct cup_error *error);

#endif

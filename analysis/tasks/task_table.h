/* Prints tasks as a table for people, with the most useful columns. */
#ifndef CUPPING_ANALYSIS_TASKS_TASK_TABLE_H
#define CUPPING_ANALYSIS_TASKS_TASK_TABLE_H

#include "analysis/profile/profile.h"
#include "analysis/write/output.h"

/* Returns 0; OUTPUT knows whether everything was written. */
int cup_print_task_table(const struct cup_profile *profile, const struct cup_output *output);

#endif

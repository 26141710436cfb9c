/* All tasks, one after the other, as rows of the table of columns. */
#ifndef CUPPING_ANALYSIS_TASKS_TASK_ROWS_H
#define CUPPING_ANALYSIS_TASKS_TASK_ROWS_H

#include "analysis/tasks/task_columns.h"
#include "analysis/write/output.h"

typedef void (*cup_task_writer)(void *writer, const struct cup_task_row *row);

/* Hands every task to `write`, until the output fails. Returns 0, or -1 without memory. */
int cup_each_task(const struct cup_profile *profile, const struct cup_output *output,
                  cup_task_writer write, void *writer);

/* All columns of all tasks, under a line of their names. Returns as above. */
int cup_task_rows_csv(const struct cup_profile *profile, const struct cup_output *output);

#endif

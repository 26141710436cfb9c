/* Calls a function for each task; writes all tasks as CSV, or as a table for people. */
#pragma once

#include "analysis/tasks/task_columns.h"
#include "analysis/write/output.h"

typedef void (*cup_task_writer)(void *writer, const struct cup_task_row *row);

/* Calls WRITE for each task, until the output fails. Returns 0, or -1 without memory. */
int cup_each_task(const struct cup_profile *profile, const struct cup_output *output,
                  cup_task_writer write, void *writer);

/* Writes a line with the names of all columns, then a line for each task. Returns 0, or -1 without
 * memory. */
int cup_task_rows_csv(const struct cup_profile *profile, const struct cup_output *output);

/* Prints a table with the most useful columns. Returns 0, or -1 without memory. */
int cup_print_task_table(const struct cup_profile *profile, const struct cup_output *output);

/* Calls a function for each task; writes all tasks as cells, or as a table for people. */
#pragma once

#include "analysis/tasks/task_columns.h"
#include "analysis/write/output.h"

/* Which tasks are written, and in which order. */
struct cup_task_view {
    const struct cup_task_column *sort; /* NULL: in the order of the logs */
    size_t top;                         /* only the first TOP; 0: all */
};

/* The column that --sort NAME means: a name of cup_task_columns, or a heading of the table for
 * people. NULL: there is none. */
const struct cup_task_column *cup_task_sort_column(const char *name);

typedef void (*cup_task_writer)(void *writer, const struct cup_task_row *row);

/* Calls WRITE for each task of the view, until the output fails. Sorted by a number, the greatest
 * comes first; by a text or a time, the least. Tasks without a value come last. Returns 0, or -1
 * without memory. */
int cup_each_task(const struct cup_profile *profile, const struct cup_task_view *view,
                  const struct cup_output *output, cup_task_writer write, void *writer);

/* Writes a row with the names of all columns, then a row for each task. Columns of numbers
 * (output->columns) have all tasks, in the order of the logs, whatever the view. Returns 0, or -1
 * without memory. */
int cup_write_task_rows(const struct cup_profile *profile, const struct cup_task_view *view,
                        const struct cup_output *output);

/* Prints a table with the most useful columns. Lines may be longer than the terminal is wide,
 * because names of files are never cut. Returns 0, or -1 without memory. */
int cup_print_task_table(const struct cup_profile *profile, const struct cup_task_view *view,
                         const struct cup_output *output);

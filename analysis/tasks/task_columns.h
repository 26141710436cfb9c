/* The table of columns of `cupping tasks`. Names and order are a contract with programs that read
 * them. */
#pragma once

#include "analysis/base/value.h"
#include "analysis/profile/process_life.h"

/* What a column's value is computed from. */
struct cup_task_row {
    const struct cup_profile *profile; /* loaded with the option `counters` */
    const struct cup_task *task;
    struct cup_text key;
    uint32_t attempt; /* 1 for the first attempt at a key, ... */
};

struct cup_task_column {
    const char *name;
    struct cup_value (*get)(const struct cup_task_row *row, int argument);
    int argument; /* passed to `get`: often a counter (enum cup_counter) */
};

extern const struct cup_task_column cup_task_columns[];
extern const size_t cup_task_column_count;

/* The value of the column of that name, which must exist. */
struct cup_value cup_task_value(const struct cup_task_row *row, const char *name);

/* "finished", "erred", "unknown" (it ended, but how is not known), "unfinished" (it never ended) or
 * "running" */
const char *cup_task_status_name(const struct cup_profile *profile, const struct cup_task *task);

/* Numbers the attempts: tasks with the same key get 1, 2, ... in the order of their starts.
 * Returns an array, by index of the task, that the caller frees; NULL without memory. */
uint32_t *cup_task_attempts(const struct cup_profile *profile);

/* The columns of `cupping tasks`, in one table: a contract with the programs that read them. */
#ifndef CUPPING_ANALYSIS_TASKS_TASK_COLUMNS_H
#define CUPPING_ANALYSIS_TASKS_TASK_COLUMNS_H

#include "analysis/base/value.h"
#include "analysis/profile/profile.h"

/* What a column is computed from. */
struct cup_task_row {
    const struct cup_profile *profile; /* loaded with the counters of every task */
    const struct cup_task *task;
    struct cup_text key;
    uint32_t attempt; /* 1 for the first run of a key, ... */
};

struct cup_task_column {
    const char *name;
    struct cup_value (*get)(const struct cup_task_row *row, int argument);
    int argument; /* what `get` is asked for, often a counter */
};

extern const struct cup_task_column cup_task_columns[];
extern const size_t cup_task_column_count;

/* By its name, which must be one of the table's. */
struct cup_value cup_task_value(const struct cup_task_row *row, const char *name);

/* One counter of the task; null where the process could not measure it. */
struct cup_value cup_task_counter(const struct cup_task_row *row, int counter);

/* "finished", "erred" or "unfinished" */
const char *cup_task_status_name(const struct cup_task *task);

/* Number of the attempt of each task: the runs of one key, counted in the order of their starts.
 * Allocated, the caller frees; NULL without memory. */
uint32_t *cup_task_attempts(const struct cup_profile *profile);

#endif

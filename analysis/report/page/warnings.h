/* Sentences about what makes figures of this profile uncertain. The notes that the library wrote
 * are printed separately. */
#pragma once

#include "analysis/metrics/totals.h"

enum { CUP_WARNINGS_MOST = 32 };

struct cup_page;

struct cup_warning {
    char text[400];
};

/* Fills in those that apply; returns how many. */
size_t cup_warnings_make(const struct cup_totals *totals,
                         struct cup_warning warnings[CUP_WARNINGS_MOST]);

/* Warns below a table that tasks may have read more than it shows. Prints nothing if none may. */
void cup_warn_of_partly(const struct cup_page *page);

/* Counts the hosts with at least one process for which `is` (NULL: of all) is true. *last, unless
 * it is NULL: the last such process. */
uint64_t cup_count_hosts(const struct cup_profile *profile,
                         bool (*is)(const struct cup_process *process),
                         const struct cup_process **last);

/* A feature that was off in at least one process. */
struct cup_feature_off {
    const char *name, *consequence;
    uint64_t processes; /* in how many it was off: workers, and for samples schedulers too */
};
size_t cup_features_off(const struct cup_profile *profile,
                        struct cup_feature_off off[CUP_FEATURE_COUNT]);

/* Which features the interpreter of this run does not allow, as the notes of the logs say: "Python
 * 3.14.1: stacks are off (...)." Features that a setting switched off have no note, and are left
 * out. NULL: all are there. */
const char *cup_interpreter_lacks(const struct cup_profile *profile, char to[CUP_LINE_ROOM]);

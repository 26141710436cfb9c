/* A profile with one of everything, all of it unknown: what a table's columns are called is learned
 * from a row, also where the real profile has none. */
#ifndef CUPPING_ANALYSIS_EXPORT_SPECIMEN_H
#define CUPPING_ANALYSIS_EXPORT_SPECIMEN_H

#include "analysis/metrics/functions/call_tree.h"
#include "analysis/metrics/totals.h"

struct cup_specimen {
    struct cup_profile profile;
    struct cup_totals totals;
    struct cup_call_tree calls;
};

/* Returns 0, or -1 without memory, with nothing to free. The specimen must not move. */
int cup_specimen_make(struct cup_specimen *specimen);
void cup_specimen_free(struct cup_specimen *specimen);

#endif

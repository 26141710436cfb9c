/* Sections that the program named itself, with what tasks had of each. */
#ifndef CUPPING_ANALYSIS_METRICS_DASK_SECTIONS_H
#define CUPPING_ANALYSIS_METRICS_DASK_SECTIONS_H

#include "analysis/base/statistics.h"
#include "analysis/profile/profile.h"

/* A section in the tasks of one prefix. */
struct cup_section_shown {
    const struct cup_section *section;
    uint64_t chunks;             /* of its tasks in the rows: those that are chunks */
    struct cup_statistics walls; /* seconds of each task; count 0: no rows, or of no task */
};

struct cup_sections {
    struct cup_section_shown *shown; /* owned; most wall time first */
    size_t count;
};

/* Returns 0, or -1 without memory. The profile must outlive it. */
int cup_sections_make(struct cup_sections *sections, const struct cup_profile *profile);
void cup_sections_free(struct cup_sections *sections);

/* Wall time in the section itself, not in sections within it; nanoseconds. */
static inline uint64_t cup_section_self_ns(const struct cup_section *section)
{
    const uint64_t *values = section->values;
    return values[CUP_V_WALL_NS] > values[CUP_V_INNER_NS]
               ? values[CUP_V_WALL_NS] - values[CUP_V_INNER_NS]
               : 0;
}

#endif

/* Sections that the user's program named, with the times that tasks spent in them. */
#pragma once

#include "analysis/base/statistics.h"
#include "analysis/profile/profile.h"

/* One section, in the tasks of one prefix. */
struct cup_section_shown {
    const struct cup_section *section;
    uint64_t chunks;             /* its tasks that are chunks; 0: not known, or none */
    struct cup_statistics walls; /* seconds that each task spent in it; count 0: not known */
};

struct cup_sections {
    struct cup_section_shown *shown; /* owned; most wall time first */
    size_t count;
};

/* Returns 0, or -1 without memory. The profile must outlive it. */
int cup_sections_make(struct cup_sections *sections, const struct cup_profile *profile);
void cup_sections_free(struct cup_sections *sections);

/* Wall time in the section, without the sections inside it; nanoseconds. */
static inline uint64_t cup_section_self_ns(const struct cup_section *section)
{
    const uint64_t *values = section->values;
    return values[CUP_V_WALL_NS] > values[CUP_V_INNER_NS]
               ? values[CUP_V_WALL_NS] - values[CUP_V_INNER_NS]
               : 0;
}

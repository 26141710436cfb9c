/* Which dataset is the slowest, or which file, if there is only one dataset. */
#pragma once

#include "analysis/metrics/sums/sums.h"

struct cup_slowest {
    const char *what; /* "dataset" or "file" */
    uint32_t name;    /* string of the profile */
    double rate;      /* its events for each second inside process() of its used chunks */
    double all_rate;  /* the same of all that were compared */
    size_t compared;
};

/* Returns false if there are not two to compare, or without memory. */
bool cup_slowest_find(const struct cup_totals *totals, struct cup_slowest *slowest);

/* Tasks that are in no log, by the count of Dask's scheduler. */
#pragma once

#include "analysis/profile/profile.h"

/* A worker whose logs have fewer tasks than it ended. */
struct cup_missing_tasks {
    const char *worker; /* address; of the profile */
    uint64_t ended, recorded;
};

/* The next such worker; *at: 0 before the first call, and where to go on. Returns false if there is
 * none. What a report leaves out (--run, --span) is not missing. */
bool cup_missing_next(const struct cup_profile *profile, size_t *at,
                      struct cup_missing_tasks *missing);

/* Sums over all such workers. */
struct cup_missing_sums {
    uint64_t workers, tasks;
};
struct cup_missing_sums cup_missing_sum(const struct cup_profile *profile);

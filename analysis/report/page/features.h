/* What could not be measured in some process of the run. */
#ifndef CUPPING_ANALYSIS_REPORT_PAGE_FEATURES_H
#define CUPPING_ANALYSIS_REPORT_PAGE_FEATURES_H

#include "analysis/profile/profile.h"

/* A feature that was off in at least one process. */
struct cup_feature_off {
    const char *name, *consequence;
    uint64_t processes; /* in how many it was off: workers, and for samples schedulers too */
};
size_t cup_features_off(const struct cup_profile *profile,
                        struct cup_feature_off off[CUP_FEATURE_COUNT]);

#endif

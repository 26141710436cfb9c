/* Adds one profile to another. */
#ifndef CUPPING_ANALYSIS_PROFILE_PROFILE_MERGE_H
#define CUPPING_ANALYSIS_PROFILE_PROFILE_MERGE_H

#include "analysis/profile/profile_builder.h"

/* Appends all that `from` holds to the builder's profile. `from` stays as it was, except for the
 * paths of its processes' logs, which change their owner. */
void cup_profile_merge(struct cup_builder *builder, struct cup_profile *from);

#endif

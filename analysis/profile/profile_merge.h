/* Adds one profile to another. */
#ifndef CUPPING_ANALYSIS_PROFILE_PROFILE_MERGE_H
#define CUPPING_ANALYSIS_PROFILE_PROFILE_MERGE_H

#include "analysis/profile/profile_builder.h"

/* Adds everything in `from` to the profile of the builder. `from` stays unchanged, except that the
 * paths of its logs move to the profile of the builder, which then owns them. */
void cup_profile_merge(struct cup_builder *builder, struct cup_profile *from);

#endif

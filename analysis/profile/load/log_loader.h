/* Adds one log to a profile. */
#ifndef CUPPING_ANALYSIS_PROFILE_LOAD_LOG_LOADER_H
#define CUPPING_ANALYSIS_PROFILE_LOAD_LOG_LOADER_H

#include "analysis/profile/profile_builder.h"

/* Damage, or a log that cannot be read at all, is added to profile->damages. */
void cup_load_log(struct cup_builder *builder, const char *path,
                  const struct cup_load_options *options);

#endif

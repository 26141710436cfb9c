/* The option `--run N|all` of several verbs. */
#ifndef CUPPING_ANALYSIS_PROFILE_RUN_OPTION_H
#define CUPPING_ANALYSIS_PROFILE_RUN_OPTION_H

#include "analysis/base/error.h"
#include "analysis/profile/profile.h"

/* Reads the option's TEXT (NULL: not given) as the `run` of struct cup_load_options. Returns 0, or
 * -1 and *error. */
int cup_run_option_read(const char *verb, const char *text, unsigned *number,
                        struct cup_error *error);

/* Returns 0 if the profile has that run, else -1 and *error. A profile without Runner calls has one
 * run, number 1. */
int cup_run_option_check(unsigned number, const struct cup_profile *profile,
                         struct cup_error *error);

#endif

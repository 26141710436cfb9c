/* Finds the task that a process works for which a task started: what such a child reads is the
 * task's. */
#ifndef CUPPING_ANALYSIS_PROFILE_PROCESS_ANCESTRY_H
#define CUPPING_ANALYSIS_PROFILE_PROCESS_ANCESTRY_H

#include "analysis/profile/profile.h"

/* Fills in every process's descent, and the child_read_bytes of tasks, once all logs are loaded.
 * `one_span`: the profile holds the tasks of one span only, and a task that is not found there is
 * one of another span. Returns 0, or -1 without memory. */
int cup_ancestries_settle(struct cup_profile *profile, bool one_span);

#endif

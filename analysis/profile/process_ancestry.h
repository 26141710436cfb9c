/* Finds the tasks that started processes: what such a process reads is attributed to the task. */
#ifndef CUPPING_ANALYSIS_PROFILE_PROCESS_ANCESTRY_H
#define CUPPING_ANALYSIS_PROFILE_PROCESS_ANCESTRY_H

#include "analysis/profile/profile.h"

/* Sets the ancestry of all processes and the child_read_bytes of tasks, when all logs are loaded.
 * ONE_SPAN: the options exclude tasks, so a task that is not in the profile may be one of those.
 * Returns 0, or -1 without memory. */
int cup_ancestries_settle(struct cup_profile *profile, bool one_span);

#endif

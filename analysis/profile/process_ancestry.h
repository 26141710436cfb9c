/* Finds the tasks that started processes: what such a process reads is attributed to the task. */
#pragma once

#include "analysis/profile/profile.h"

/* Call it when all logs are loaded. Sets `ancestry` and `ancestor` of all processes, and adds what
 * they read to child_read_bytes of the tasks that started them. SELECTIVE: the options exclude
 * some tasks, so a task that is not in the profile was probably excluded, not lost. Returns 0, or
 * -1 without memory. */
int cup_ancestries_settle(struct cup_profile *profile, bool selective);

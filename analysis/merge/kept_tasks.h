/* Which tasks of a log a merge keeps one by one, when it sums up the others (summary.h). That
 * depends only on the log and the limit, so it is the same in any order of merges. */
#pragma once

#include "analysis/profile/profile.h"

/* Sets summed[number] to 1 for the tasks that are to be summed up. ALL is the profile of the log
 * alone. KEPT: by number, 1 for tasks that have to be kept; more are added. Returns how many tasks
 * are summed up, or -1 without memory. Kept are
 *   - tasks that failed, never ended or were skipped, and all attempts at tasks with several;
 *   - of each prefix, LIMIT tasks of each of these kinds: those that took longest, read most,
 *     waited longest, or ended last: the results of these may have been lost with the process;
 *   - what other figures need: the last task of each thread and the one after a task without an
 *     end, the first task with each set of columns, and the one with most unattributed bytes. */
int64_t cup_choose_summed(struct cup_id_map *summed, struct cup_id_map *kept,
                          const struct cup_profile *all, unsigned limit);

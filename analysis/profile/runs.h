/* The Runner calls of a profile: found before anything else is read, since they say which tasks are
 * wanted. */
#ifndef CUPPING_ANALYSIS_PROFILE_RUNS_H
#define CUPPING_ANALYSIS_PROFILE_RUNS_H

#include "analysis/profile/profile.h"

/* Reads the Runner calls of all logs into profile->runs, in the order in which they began, with
 * their times by the scheduler's clock. Returns
 * 0, or -1 without memory. A log that cannot be read has none. */
int cup_runs_read(struct cup_profile *profile, char *const *paths, size_t count,
                  const struct cup_clocks *clocks);

/* A call that nobody saw, by the user's own clock calls around it: taken if no other one is known
 * and tasks ran during it, else left. Returns 1 if taken, 0 if not, or -1 without memory. */
int cup_runs_give(struct cup_profile *profile, int64_t start_ns, int64_t stop_ns);

/* Not seen: the user's own times. */
static inline bool cup_run_is_given(const struct cup_run *run)
{
    return run->pid == 0;
}

/* Which of them is meant by `run` (0: the only one, or the last; CUP_ALL_RUNS; a number): index +
 * 1, or 0 for all, into profile->run. A number that none has means all, too: whoever let it be
 * asked for complains. */
void cup_runs_choose(struct cup_profile *profile, unsigned run);

/* Tasks that start from *from_ns on and before *to_ns belong to the chosen run: the borders lie in
 * the middle between it and its neighbours, so that each task belongs to one. */
void cup_runs_window(const struct cup_profile *profile, int64_t *from_ns, int64_t *to_ns);

#endif

/* The calls of Coffea's Runner in a profile. They are read before the tasks, because they decide
 * which tasks are loaded. */
#pragma once

#include "analysis/base/error.h"
#include "analysis/profile/profile.h"

/* Reads the Runner calls of all logs into profile->runs, sorted by start, with times shifted to
 * the clock of the scheduler. Logs that cannot be read are skipped. Returns 0, or -1 without
 * memory. */
int cup_runs_read(struct cup_profile *profile, char *const *paths, size_t count,
                  const struct cup_clocks *clocks);

/* Adds the call of one RUN record, in the log with that header, behind the others. cup_runs_sort()
 * brings them into order. Returns 0, or -1 without memory. */
int cup_runs_add(struct cup_profile *profile, const struct cup_log_header *header,
                 const struct cup_record *record, const struct cup_clock *clock);
void cup_runs_sort(struct cup_profile *profile);

/* Adds a run with times that the user measured, if no Runner call was recorded and tasks ran during
 * that time. Returns 1 if it was added, 0 if not, or -1 without memory. */
int cup_runs_add_given(struct cup_profile *profile, int64_t start_ns, int64_t stop_ns);

/* True if the user gave its times. */
static inline bool cup_run_is_given(const struct cup_run *run)
{
    return run->pid == 0;
}

/* True if it is known how many chunks it was to process; their events may still be unknown. */
static inline bool cup_run_is_planned(const struct cup_run *run)
{
    return run->plan == CUP_PLAN_READING || run->plan == CUP_PLAN_KNOWN;
}

/* Sets profile->run (index + 1; 0: all) from RUN: a number, 0 for the last run, or CUP_ALL_RUNS. A
 * number that no run has means all; cup_run_option_check() reports it. */
void cup_runs_choose(struct cup_profile *profile, unsigned run);

/* Returns the time window of the chosen run: a task belongs to the run if it starts in [*from_ns,
 * *to_ns). The window ends half-way between two runs, so that each task belongs to exactly one
 * run. */
void cup_runs_window(const struct cup_profile *profile, int64_t *from_ns, int64_t *to_ns);

/* Two runs went on at the same time. */
bool cup_runs_overlap(const struct cup_profile *profile);

/* The index of the run in whose window a task starts, of runs that do not overlap. */
size_t cup_runs_index_at(const struct cup_profile *profile, int64_t start_ns);

/* The number of another run that went on during the chosen one; 0: there is none. Their tasks
 * cannot be told apart. */
unsigned cup_runs_overlapping(const struct cup_profile *profile);

/* ---- the option `--run N|all` of several verbs ------------------------------------------ */

/* Reads the option's TEXT (NULL: not given) as the `run` of struct cup_load_options. Returns 0, or
 * -1 and *error. */
int cup_run_option_read(const char *verb, const char *text, unsigned *number,
                        struct cup_error *error);

/* Returns 0 if the profile has that run, else -1 and *error. A profile without Runner calls has one
 * run, number 1. */
int cup_run_option_check(unsigned number, const struct cup_profile *profile,
                         struct cup_error *error);

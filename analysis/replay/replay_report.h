/* What a replay says: how long requests took, next to how long they took when they were recorded,
 * by server and by file. */
#pragma once

#include "analysis/replay/replay_run.h"
#include "analysis/write/output.h"

/* Both return 0, or -1 without memory. */
int cup_replay_print(const struct cup_replay_table *table, const struct cup_replay_options *options,
                     const struct cup_replay_outcome *outcome, const struct cup_output *output);
int cup_replay_write_json(const struct cup_replay_table *table,
                          const struct cup_replay_options *options,
                          const struct cup_replay_outcome *outcome,
                          const struct cup_output *output);

/* Prints a line on standard error for each file (a few of them, and how many others there are) that
 * could not be opened, failed, or is shorter than it was. Returns how many such files there are. */
size_t cup_replay_print_failures(const struct cup_replay_table *table,
                                 const struct cup_replay_options *options,
                                 const struct cup_replay_outcome *outcome);

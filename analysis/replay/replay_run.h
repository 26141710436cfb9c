/* Repeats the requests of a table: a process for each recorded one, a thread for each stream. */
#pragma once

#include "analysis/replay/replay_table.h"

struct cup_replay_options {
    const char *const *targets; /* by file of the table: path or URL */
    double speed;               /* starts come so many times faster than recorded */
    const char *client;         /* path of libXrdPosix; NULL: found */
};

/* What became of a request. */
struct cup_replay_result {
    int64_t ns;      /* duration */
    int64_t late_ns; /* it began so much later than planned, because its stream was busy */
    uint64_t bytes;  /* that were delivered */
    int32_t error;   /* errno; 0: none */
    int32_t is_open_error;
};

struct cup_replay_outcome {
    struct cup_replay_result *results; /* by request; unmapped by cup_replay_outcome_free() */
    size_t bytes;                      /* of the mapping */
    int64_t ns; /* from the start of the clock until the last request ended */
};

/* Returns 0 if all requests were tried, or -1 and *error, with nothing to free. */
int cup_replay_run(const struct cup_replay_table *table, const struct cup_replay_options *options,
                   struct cup_replay_outcome *outcome, struct cup_error *error);

void cup_replay_outcome_free(struct cup_replay_outcome *outcome);

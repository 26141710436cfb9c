/* Durations in log-spaced buckets: exact when logs are added up, and good for percentiles. */
#ifndef CUPPING_ANALYSIS_PROFILE_DURATIONS_H
#define CUPPING_ANALYSIS_PROFILE_DURATIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "include/log_format.h"

/* Those of the log, and the tasks' own durations, which their records tell. */
enum cup_duration {
#define X(id, name, text) CUP_DURATION_##id = CUP_HISTOGRAM_##id,
    CUP_HISTOGRAMS(X)
#undef X
        CUP_DURATION_TASK = CUP_HISTOGRAM_COUNT,
    CUP_DURATION_COUNT
};

struct cup_duration_kind {
    const char *name, *text;
    uint64_t needs; /* enum cup_feature */
};
extern const struct cup_duration_kind cup_duration_kinds[CUP_DURATION_COUNT];

/* Not owned: the buckets are part of the prefix. */
struct cup_durations {
    const uint64_t *buckets; /* CUP_BUCKETS of them */
    uint64_t longest_ns;     /* exact; 0: not known */
};

uint64_t cup_durations_total(const struct cup_durations *durations);

/* The longest of them; where that is not known, where the last bucket in use ends. */
uint64_t cup_durations_longest_ns(const struct cup_durations *durations);

/* Where a bucket ends: at the longest, if that lies inside. */
uint64_t cup_bucket_to_ns(const struct cup_durations *durations, unsigned bucket);

/* The duration that a `share` of all (0.5: the median) does not exceed: within its bucket by
 * interpolation, so good to some 20 %, and never beyond the longest; a single one is that. NAN for
 * an empty one. */
double cup_durations_quantile_ns(const struct cup_durations *durations, double share);

#endif

/* Histograms of durations. Histograms of several logs can be added without an error, and their
 * buckets are narrow enough for percentiles. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "include/log_format.h"

/* The histograms that logs hold, and one more: the durations of tasks, counted from their
 * TASK_BEGIN and TASK_END records. */
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

struct cup_durations {
    const uint64_t *buckets; /* not owned: CUP_BUCKETS counts, part of a prefix */
    uint64_t longest_ns;     /* exact; 0: not known */
};

uint64_t cup_durations_total(const struct cup_durations *durations);

/* The longest duration; if that is not known, the end of the last bucket in use. */
uint64_t cup_durations_longest_ns(const struct cup_durations *durations);

/* The end of a bucket, or the longest duration if that is in it. */
uint64_t cup_bucket_to_ns(const struct cup_durations *durations, unsigned bucket);

/* The quantile of SHARE (0.5: the median), interpolated within its bucket, so accurate to about 20
 * %, and at most the longest. A single duration is returned as it is. NAN for an empty histogram.
 */
double cup_durations_quantile_ns(const struct cup_durations *durations, double share);

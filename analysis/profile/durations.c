#include "analysis/profile/durations.h"

#include <math.h>

const struct cup_duration_kind cup_duration_kinds[CUP_DURATION_COUNT] = {
    [CUP_DURATION_READ] = {"read", "reads", CUP_FEATURE_WAITS},
    [CUP_DURATION_GIL_WAIT] = {"gil_wait", "GIL waits", CUP_FEATURE_WAITS | CUP_FEATURE_GIL},
    [CUP_DURATION_TASK] = {"task", "tasks", 0},
};

uint64_t cup_durations_total(const struct cup_durations *durations)
{
    uint64_t total = 0;
    for (unsigned i = 0; i < CUP_BUCKETS; i++)
        total += durations->buckets[i];
    return total;
}

uint64_t cup_durations_longest_ns(const struct cup_durations *durations)
{
    unsigned last = CUP_BUCKETS;
    while (last > 0 && durations->buckets[last - 1] == 0)
        last--;
    return durations->longest_ns ? durations->longest_ns : cup_bucket_from_ns(last);
}

uint64_t cup_bucket_to_ns(const struct cup_durations *durations, unsigned bucket)
{
    uint64_t to = cup_bucket_from_ns(bucket + 1), longest = durations->longest_ns;
    bool holds_longest = longest && cup_bucket(longest) == bucket;
    return holds_longest ? longest : to;
}

double cup_durations_quantile_ns(const struct cup_durations *durations, double share)
{
    uint64_t total = cup_durations_total(durations);
    double wanted = share * (double)total, before = 0;
    if (total == 1)
        return (double)cup_durations_longest_ns(durations);
    for (unsigned i = 0; i < CUP_BUCKETS; i++) {
        double count = (double)durations->buckets[i];
        if (count > 0 && before + count >= wanted) {
            double from = (double)cup_bucket_from_ns(i);
            double to = (double)cup_bucket_to_ns(durations, i);
            double value = from + (to - from) * (wanted - before) / count;
            return fmin(value, (double)cup_durations_longest_ns(durations));
        }
        before += count;
    }
    return NAN;
}

#include "analysis/profile/profile.h"

#include <stdlib.h>

const char *const cup_counter_names[CUP_COUNTER_COUNT] = {
#define X(id, name, kind, text) name,
    CUP_COUNTERS(X)
#undef X
};

/* How two values of one counter merge, by its kind; chosen when this is compiled. */
#define MERGE_SUM(sum, value) ((sum) + (value))
#define MERGE_MAX(sum, value) ((sum) + (value)) /* of several threads: an upper bound */
#define MERGE_LARGEST(sum, value) ((sum) > (value) ? (sum) : (value))

void cup_counters_add(uint64_t *restrict sums, const uint64_t *restrict values)
{
#define X(id, name, kind, text)                                                                    \
    sums[CUP_C_##id] = MERGE_##kind(sums[CUP_C_##id], values[CUP_C_##id]);
    CUP_COUNTERS(X)
#undef X
}

void cup_profile_free(struct cup_profile *profile)
{
    for (size_t i = 0; i < profile->process_count; i++)
        free(profile->processes[i].log_path);
    free(profile->path);
    cup_intern_clear(&profile->strings);
#define X(entries, entry, type, merge, what) free(profile->entries);
    CUP_PROFILE_ARRAYS(X)
#undef X
    *profile = (struct cup_profile){0};
}

uint64_t cup_counter_needs(enum cup_counter counter)
{
    switch (counter) {
    case CUP_C_READ_CONTEXT_BYTES:
        return CUP_FEATURE_FILES | CUP_FEATURE_CONTEXT;
    case CUP_C_READ_HANDOFF_BYTES:
    case CUP_C_READ_INHERITED_BYTES:
        return CUP_FEATURE_FILES | CUP_FEATURE_HANDOFF;
    case CUP_C_HELPER_CPU_NS:
        return CUP_FEATURE_HANDOFF;
    case CUP_C_MAPPED_BYTES:
        return CUP_FEATURE_MAPPED;
    case CUP_C_ALLOC_BYTES:
    case CUP_C_ALLOC_CALLS:
    case CUP_C_FREED_BYTES:
    case CUP_C_FREE_CALLS:
    case CUP_C_PEAK_LIVE_BYTES:
        return CUP_FEATURE_HEAP;
    case CUP_C_GIL_WAIT_NS:
    case CUP_C_GIL_WAITS:
    case CUP_C_GIL_LONGEST_NS:
        return CUP_FEATURE_WAITS | CUP_FEATURE_GIL;
    case CUP_C_RUN_DELAY_NS:
        return CUP_FEATURE_WAITS | CUP_FEATURE_RUN_DELAY;
    case CUP_C_IO_WAIT_NS:
    case CUP_C_LOCK_WAIT_NS:
    case CUP_C_SLEEP_NS:
    case CUP_C_POLL_WAIT_NS:
    case CUP_C_HELD_UP_NS:
    case CUP_C_GUESSED_WAIT_NS:
    case CUP_C_MAJOR_FAULTS:
    case CUP_C_MINOR_FAULTS:
    case CUP_C_SYSTEM_CPU_NS:
    case CUP_C_READ_LONGEST_NS:
        return CUP_FEATURE_WAITS;
    case CUP_C_OPEN_NS:
    case CUP_C_FAILED_OPENS:
        return CUP_FEATURE_FILES | CUP_FEATURE_OPENS;
    default:
        return CUP_FEATURE_FILES;
    }
}

uint64_t cup_process_child_bytes(const struct cup_process *process)
{
    uint64_t sum = 0;
    for (int method = CUP_C_READ_OWN_BYTES; method <= CUP_C_READ_NONE_BYTES; method++)
        sum += process->descent ? process->without_task[method] : 0;
    return sum;
}

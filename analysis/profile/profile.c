#include "analysis/profile/profile.h"

#include <stdlib.h>

#include "analysis/base/array.h"

const char *const cup_counter_names[CUP_COUNTER_COUNT] = {CUP_COUNTERS(CUP_NAME_OF)};

/* How two values of a counter are merged, by the kind of the counter; chosen at compile time. */
#define MERGE_SUM(sum, value) ((sum) + (value))
#define MERGE_MAX(sum, value)                                                                      \
    ((sum) +                                                                                       \
     (value)) /* the peaks of several threads may not coincide: their sum is an upper bound */
#define MERGE_LARGEST(sum, value) ((sum) > (value) ? (sum) : (value))

void cup_counters_add(uint64_t *restrict sums, const uint64_t *restrict values)
{
#define X(id, name, kind, needs, what)                                                             \
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
    cup_collected_free(&profile->collected);
#define X(entries, entry, type, merge, what) free(profile->entries);
    CUP_PROFILE_ARRAYS(X)
#undef X
    *profile = (struct cup_profile){0};
}

/* What the words in the column "needs" of CUP_COUNTERS stand for. */
#define NEEDS_FILES CUP_FEATURE_FILES
#define NEEDS_SERVERS (CUP_FEATURE_FILES | CUP_FEATURE_SERVERS)
#define NEEDS_CONTEXT (CUP_FEATURE_FILES | CUP_FEATURE_CONTEXT)
#define NEEDS_HANDOFF (CUP_FEATURE_FILES | CUP_FEATURE_HANDOFF)
#define NEEDS_HELPERS CUP_FEATURE_HANDOFF
#define NEEDS_OPENS (CUP_FEATURE_FILES | CUP_FEATURE_OPENS)
#define NEEDS_MAPPED CUP_FEATURE_MAPPED
#define NEEDS_HEAP CUP_FEATURE_HEAP
#define NEEDS_WAITS CUP_FEATURE_WAITS
#define NEEDS_GIL (CUP_FEATURE_WAITS | CUP_FEATURE_GIL)
#define NEEDS_DELAY (CUP_FEATURE_WAITS | CUP_FEATURE_RUN_DELAY)

uint64_t cup_counter_needs(enum cup_counter counter)
{
    static const uint64_t needs_of[] = {
#define X(id, name, kind, needs, what) NEEDS_##needs,
        CUP_COUNTERS(X)
#undef X
    };
    return needs_of[counter];
}

struct cup_task_rare *cup_rare_to_fill(struct cup_profile *profile, struct cup_task *task)
{
    if (!task->rare) {
        if (cup_array_grow(&profile->rares, &profile->rare_room, profile->rare_count,
                           sizeof *profile->rares) != 0)
            return NULL;
        profile->rares[profile->rare_count++] = (struct cup_task_rare){0};
        task->rare = (uint32_t)profile->rare_count;
    }
    return &profile->rares[task->rare - 1];
}

const char *cup_unattributed_text(const struct cup_profile *profile, const struct cup_task *task)
{
    static const char *const texts[] = {
#define X(id, name, text) text,
        CUP_UNATTRIBUTED_REASONS(X)
#undef X
    };
    return texts[cup_rare_of(profile, task)->unattributed_reason];
}

bool cup_profile_is_without_dask(const struct cup_profile *profile)
{
    if (profile->server_count > 0)
        return false;
    for (size_t i = 0; i < profile->task_count; i++)
        if (profile->tasks[i].origin == CUP_ORIGIN_COFFEA)
            return true;
    return false;
}

uint64_t cup_process_child_bytes(const struct cup_process *process)
{
    uint64_t sum = 0;
    for (int method = CUP_C_READ_OWN_BYTES; method <= CUP_C_READ_NONE_BYTES; method++)
        sum += process->ancestry ? process->without_task[method] : 0;
    return sum;
}

#include "analysis/profile.h"

#include <stdlib.h>

const char *const cup_counter_names[CUP_COUNTER_COUNT] = {
#define X(id, name, kind, text) name,
    CUP_COUNTERS(X)
#undef X
};

void cup_profile_free(struct cup_profile *profile)
{
    for (size_t i = 0; i < profile->process_count; i++)
        free(profile->processes[i].log_path);
    free(profile->path);
    cup_intern_clear(&profile->strings);
    free(profile->processes);
    free(profile->servers);
    free(profile->prefixes);
    free(profile->tasks);
    free(profile->counters);
    free(profile->items);
    free(profile->files);
    free(profile->file_sums);
    free(profile->infos);
    free(profile->notes);
    free(profile->children);
    free(profile->damages);
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
    default:
        return CUP_FEATURE_FILES;
    }
}

uint64_t cup_process_child_bytes(const struct cup_process *process)
{
    uint64_t sum = 0;
    for (int way = CUP_C_READ_OWN_BYTES; way <= CUP_C_READ_NONE_BYTES; way++)
        sum += process->descent ? process->without_task[way] : 0;
    return sum;
}

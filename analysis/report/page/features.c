#include "analysis/report/page/features.h"

/* False where a missing feature of this process is no loss. A scheduler only takes samples. A
 * process that read no basket logs no requests of uproot, and its log does not say whether they
 * could have been recorded. If no process of the run has stacks, the section on functions says why.
 */
static bool concerns(const struct cup_profile *profile, const struct cup_process *process,
                     unsigned feature)
{
    bool schedules = (process->roles & 1u << CUP_ROLE_SCHEDULER) != 0;
    if (feature >= CUP_FEATURE_STACKS && !cup_profile_measured(profile, feature))
        return false;
    if (feature == CUP_FEATURE_REQUESTED && process->header.health[CUP_H_BASKETS_SEEN] == 0)
        return false;
    return cup_process_is_worker(process) || (schedules && feature == CUP_FEATURE_SAMPLES);
}

size_t cup_features_off(const struct cup_profile *profile,
                        struct cup_feature_off off[CUP_FEATURE_COUNT])
{
    static const struct cup_feature_off features[CUP_FEATURE_COUNT] = {
#define X(id, name, text, missing) {name, missing, 0},
        CUP_FEATURES(X)
#undef X
    };
    size_t count = 0;
    for (unsigned feature = 0; feature < CUP_FEATURE_COUNT; feature++) {
        uint64_t processes = 0;
        for (uint32_t i = 0; i < profile->process_count; i++)
            processes += concerns(profile, &profile->processes[i], 1u << feature) &&
                         !cup_process_has(profile, i, (enum cup_feature)(1u << feature));
        if (processes == 0)
            continue;
        off[count] = features[feature];
        off[count++].processes = processes;
    }
    return count;
}

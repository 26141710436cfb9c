#include "analysis/report/page/features.h"

/* Schedulers are there for their samples alone. Who read no basket had nothing to ask uproot for:
 * its log says so as one does in which asking cannot be seen. Stacks are missed only where other
 * processes of the run have them: without any, the section on functions says why. */
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
        {"files", "reads and writes are not measured", 0},
        {"heap", "allocations are not measured", 0},
        {"bridge", "Dask tasks are not seen", 0},
        {"context", "reads on helper threads may find no task", 0},
        {"chunks", "time inside process() is not known", 0},
        {"rss", "memory of the process is not known", 0},
        {"handoff", "work that is handed over finds no task; helpers' CPU time is not known", 0},
        {"mapped", "pages of mapped files are not counted", 0},
        {"waits", "waits are not told apart", 0},
        {"gil", "waits for the interpreter's lock are among those for locks", 0},
        {"run_delay", "time without a core is inside the waits", 0},
        {"samples", "Dask's view of its workers (memory, cores, tasks over time) is not known", 0},
        {"digests", "Dask's fine metrics are not known", 0},
        {"baskets", "what was read of which branch is not known", 0},
        {"asked", "which baskets uproot asked for is not known: they are told by their place", 0},
        {"opens", "how long it took to open files is not known", 0},
        {"access", "where in the files was read is not known", 0},
        {"stacks", "which functions did what is not known", 0},
        {"native", "of native code it is only known which Python function called it", 0},
        {"cpu", "which functions used the CPU is not known", 0},
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

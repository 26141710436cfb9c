#include "analysis/profile.h"

#include <stdlib.h>

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
    free(profile->damages);
    *profile = (struct cup_profile){0};
}

bool cup_profile_measured(const struct cup_profile *profile, enum cup_feature feature)
{
    for (uint32_t i = 0; i < profile->process_count; i++)
        if (cup_process_has(profile, i, feature))
            return true;
    return false;
}

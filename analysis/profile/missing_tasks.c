#include "analysis/profile/missing_tasks.h"

#include <string.h>

static uint64_t count_recorded(const struct cup_profile *profile, const char *worker)
{
    uint64_t tasks = 0;
    size_t length = strlen(worker);
    for (size_t i = 0; i < profile->server_count; i++) {
        struct cup_text address = cup_profile_text(profile, profile->servers[i].address);
        if (address.length == length && memcmp(address.bytes, worker, length) == 0)
            tasks += profile->servers[i].all_tasks;
    }
    return tasks;
}

bool cup_missing_next(const struct cup_profile *profile, size_t *at,
                      struct cup_missing_tasks *missing)
{
    const struct cup_collected *collected = &profile->collected;
    while (*at < collected->ended_count) {
        const struct cup_tasks_ended *ended = &collected->ended[(*at)++];
        uint64_t recorded = count_recorded(profile, ended->worker);
        *missing = (struct cup_missing_tasks){ended->worker, ended->tasks, recorded};
        if (recorded < ended->tasks)
            return true;
    }
    return false;
}

struct cup_missing_sums cup_missing_sum(const struct cup_profile *profile)
{
    struct cup_missing_sums sums = {0};
    struct cup_missing_tasks missing;
    for (size_t at = 0; cup_missing_next(profile, &at, &missing);) {
        sums.workers++;
        sums.tasks += missing.ended - missing.recorded;
    }
    return sums;
}

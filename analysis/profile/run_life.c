#include "analysis/profile/run_life.h"

#include <string.h>

struct cup_calls cup_chosen_calls(const struct cup_profile *profile)
{
    if (profile->run)
        return (struct cup_calls){&profile->runs[profile->run - 1], 1};
    return (struct cup_calls){profile->runs, profile->run_count};
}

const struct cup_process *cup_run_client(const struct cup_profile *profile,
                                         const struct cup_run *call)
{
    const struct cup_process *client = NULL;
    for (size_t i = 0; i < profile->process_count; i++) {
        const struct cup_process *process = &profile->processes[i];
        if (process->header.pid == call->pid && strcmp(process->header.host, call->host) == 0 &&
            (!client || process->header.log_start_ns > client->header.log_start_ns))
            client = process;
    }
    return client;
}

/* The calls are sorted by their start. */
bool cup_run_is_last_of_its_client(const struct cup_profile *profile, const struct cup_run *call)
{
    for (const struct cup_run *later = call + 1; later < profile->runs + profile->run_count;
         later++)
        if (later->pid == call->pid && strcmp(later->host, call->host) == 0)
            return false;
    return true;
}

static bool any_task_runs(const struct cup_profile *profile)
{
    for (size_t i = 0; i < profile->task_count; i++)
        if (cup_task_runs(profile, &profile->tasks[i]))
            return true;
    return false;
}

bool cup_chosen_run_goes_on(const struct cup_profile *profile)
{
    struct cup_calls calls = cup_chosen_calls(profile);
    if (calls.count == 0)
        return any_task_runs(profile);
    const struct cup_run *call = &calls.first[calls.count - 1];
    const struct cup_process *client = cup_run_client(profile, call);
    return client && cup_process_runs(client) && call->not_after_ns == 0 &&
           cup_run_is_last_of_its_client(profile, call);
}

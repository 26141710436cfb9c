#include "analysis/roles.h"

enum cup_role cup_process_role(const struct cup_process *process)
{
    static const enum cup_role telling[] = {CUP_ROLE_WORKER, CUP_ROLE_SCHEDULER, CUP_ROLE_NANNY,
                                            CUP_ROLE_CLIENT};
    if (process->descent && process->tasks == 0)
        return CUP_ROLE_CHILD;
    if (cup_process_is_worker(process))
        return CUP_ROLE_WORKER;
    for (size_t i = 0; i < sizeof telling / sizeof *telling; i++)
        if (process->roles & 1u << telling[i])
            return telling[i];
    return process->header.parent_task ? CUP_ROLE_CHILD : CUP_ROLE_OTHER;
}

const char *cup_role_name(enum cup_role role)
{
    static const char *const names[] = {
        [CUP_ROLE_OTHER] = "other",         [CUP_ROLE_CLIENT] = "client",
        [CUP_ROLE_SCHEDULER] = "scheduler", [CUP_ROLE_NANNY] = "nanny",
        [CUP_ROLE_WORKER] = "worker",       [CUP_ROLE_CHILD] = "child",
    };
    return names[role];
}

void cup_count_roles(const struct cup_profile *profile, uint64_t counts[CUP_ROLE_COUNT])
{
    for (int i = 0; i < CUP_ROLE_COUNT; i++)
        counts[i] = 0;
    for (size_t i = 0; i < profile->process_count; i++)
        counts[cup_process_role(&profile->processes[i])]++;
}

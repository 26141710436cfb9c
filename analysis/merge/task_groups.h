/* Sums up the tasks of one log, in groups that have prefix, server, span, dataset, status and kind
 * in common. */
#pragma once

#include "analysis/profile/profile.h"

struct cup_task_groups {
    struct cup_task_sum *groups; /* owned; `server` is a SERVER record of the log */
    size_t count, room;
    struct cup_id_map of_task; /* by number of a task: index + 1 */
};

/* PROFILE holds the tasks to sum up, and no others. SERVERS: (index in PROFILE's servers) + 1
 * -> the server's number in the log. FIRST: the number of the first group. Returns 0, or -1 without
 * memory; the caller frees the groups in both cases. */
int cup_task_groups_make(struct cup_task_groups *groups, const struct cup_profile *profile,
                         const struct cup_id_map *servers, uint32_t first);
void cup_task_groups_free(struct cup_task_groups *groups);

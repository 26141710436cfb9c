/* Waits of the own threads of tasks, kept from the COUNTERS record of the thread until the
 * TASK_END record. TASK_END follows soon, so the list is short even for a million tasks. */
#ifndef CUPPING_ANALYSIS_PROFILE_LOAD_OWN_WAITS_H
#define CUPPING_ANALYSIS_PROFILE_LOAD_OWN_WAITS_H

#include <stdbool.h>
#include <stddef.h>

#include "analysis/profile/waits.h"

struct cup_own_waits {
    uint32_t task; /* number in the process */
    struct cup_measured_waits measured;
    uint64_t major_faults;
};

/* A list with more entries than a process has threads means that TASK_END records were lost: then
 * the oldest half is dropped. */
enum { CUP_OWN_WAITS_MOST = 1024 };

struct cup_own_wait_list {
    struct cup_own_waits *waits; /* owned; the newest last */
    size_t count, room;
};

/* Returns 0, or -1 without memory. */
int cup_own_waits_keep(struct cup_own_wait_list *list, const struct cup_own_waits *waits);

/* Removes the waits of a task from the list; false if there are none. */
bool cup_own_waits_take(struct cup_own_wait_list *list, uint32_t task, struct cup_own_waits *waits);

void cup_own_waits_clear(struct cup_own_wait_list *list);

#endif

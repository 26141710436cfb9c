/* What tasks waited on their own threads, kept from the block that told it to the task's end, which
 * follows at once: so a million tasks need no room for it. */
#ifndef CUPPING_ANALYSIS_PROFILE_LOAD_OWN_WAITS_H
#define CUPPING_ANALYSIS_PROFILE_LOAD_OWN_WAITS_H

#include <stdbool.h>
#include <stddef.h>

#include "analysis/profile/waits.h"

struct cup_own_waits {
    uint32_t task; /* number in its process */
    struct cup_measured_waits measured;
    uint64_t major_faults;
};

/* More tasks than threads can only be there if ends were lost; the oldest ones give way. */
enum { CUP_OWN_WAITS_MOST = 1024 };

struct cup_own_wait_list {
    struct cup_own_waits *waits; /* owned; the newest last */
    size_t count, room;
};

/* Keeps them until they are taken. Returns 0, or -1 without memory. */
int cup_own_waits_keep(struct cup_own_wait_list *list, const struct cup_own_waits *waits);

/* Hands out what is kept for a task, and forgets it; false if there is nothing. */
bool cup_own_waits_take(struct cup_own_wait_list *list, uint32_t task, struct cup_own_waits *waits);

void cup_own_waits_clear(struct cup_own_wait_list *list);

#endif

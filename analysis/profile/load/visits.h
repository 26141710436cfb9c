/* Which tasks of one log used which files, so that a task counts once for each file. */
#ifndef CUPPING_ANALYSIS_PROFILE_LOAD_VISITS_H
#define CUPPING_ANALYSIS_PROFILE_LOAD_VISITS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct cup_visit {
    uint32_t file, next; /* index + 1 of the task's next visit */
};

struct cup_visits {
    uint32_t *first; /* owned; by task: index + 1 of a visit */
    size_t task_count, task_room;
    struct cup_visit *visits; /* owned */
    size_t count, room;
};

/* Returns true the first time for a task and file, and also without memory: the count is then too
 * high, but the caller can do nothing about it. */
bool cup_visits_add(struct cup_visits *visits, size_t task, uint32_t file);

void cup_visits_clear(struct cup_visits *visits);

#endif

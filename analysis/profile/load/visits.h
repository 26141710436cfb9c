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
    uint32_t *first; /* owned; for each task: index + 1 of its first visit */
    size_t task_count, task_room;
    struct cup_visit *visits; /* owned */
    size_t count, room;
};

/* Returns true if this is the first time for this task and file. Without memory it also returns
 * true: the count of tasks is then too high, but there is no better answer. */
bool cup_visits_add(struct cup_visits *visits, size_t task, uint32_t file);

void cup_visits_clear(struct cup_visits *visits);

#endif

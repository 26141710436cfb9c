/* Which tasks of one log used which files, so that a file's tasks are counted once each. */
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

/* True the first time that the task comes with the file. Without memory also true: then the count
 * is too high, which the caller cannot help. */
bool cup_visits_add(struct cup_visits *visits, size_t task, uint32_t file);

/* Forgets all visits and keeps the room, for the next log. */
void cup_visits_reset(struct cup_visits *visits);

void cup_visits_clear(struct cup_visits *visits);

#endif

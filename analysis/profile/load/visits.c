#include "analysis/profile/load/visits.h"

#include <stdlib.h>

#include "analysis/base/array.h"

static int cover_task(struct cup_visits *visits, size_t task)
{
    while (visits->task_count <= task) {
        if (cup_array_grow(&visits->first, &visits->task_room, visits->task_count,
                           sizeof *visits->first) != 0)
            return -1;
        visits->first[visits->task_count++] = 0;
    }
    return 0;
}

bool cup_visits_add(struct cup_visits *visits, size_t task, uint32_t file)
{
    if (cover_task(visits, task) != 0)
        return true;
    for (uint32_t at = visits->first[task]; at; at = visits->visits[at - 1].next)
        if (visits->visits[at - 1].file == file)
            return false;
    if (cup_array_grow(&visits->visits, &visits->room, visits->count, sizeof *visits->visits) != 0)
        return true;
    visits->visits[visits->count++] = (struct cup_visit){file, visits->first[task]};
    visits->first[task] = (uint32_t)visits->count;
    return true;
}

void cup_visits_clear(struct cup_visits *visits)
{
    free(visits->first);
    free(visits->visits);
    *visits = (struct cup_visits){0};
}

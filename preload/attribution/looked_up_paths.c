#include "preload/attribution/looked_up_paths.h"

#include "preload/attribution/attribution.h"
#include "preload/attribution/lock_origin.h"
#include "preload/lifecycle/running_tasks.h"
#include "preload/lifecycle/thread.h"
#include "preload/python/python.h"
#include "preload/sys/id_table.h"

#include <string.h>

static uint64_t hash_path(const char *path)
{
    return cup_hash_bytes((struct cup_hash){0}, path, strlen(path)).key |
           2; /* 0 and 1 are no keys */
}

void cup_path_used(const char *path)
{
    uint32_t task = cup_attribution_task();
    if (!path || (!task && !cup_path_origins))
        return;
    uint64_t key = hash_path(path);
    struct cup_lock_origin *known = cup_lock_origin_find(cup_path_origins, key);
    if (known && (known->task == task || cup_task_runs(known->task)))
        cup_lock_origin_used(known, task, CUP_SHARED);
    else if (task)
        cup_lock_origin_named(cup_path_origins, key, task);
}

/* Only for threads that are not Python's. A Python thread that carries no task may serve several,
 * and open a file for one task that another one looked up. */
uint32_t cup_path_task(const char *path)
{
    if (!path || cup_python_thread())
        return 0;
    struct cup_lock_origin *known = cup_lock_origin_find(cup_path_origins, hash_path(path));
    return known && !known->shared && cup_task_runs(known->task) ? known->task : 0;
}

bool cup_path_was_used(const char *path, uint32_t task)
{
    struct cup_lock_origin *known =
        cup_path_origins ? cup_lock_origin_find(cup_path_origins, hash_path(path)) : NULL;
    return known && (known->task == task || known->shared);
}

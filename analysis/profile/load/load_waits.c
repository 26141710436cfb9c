/* Splits the time of tasks into CPU time and waits. */
#include "analysis/profile/load/loader.h"

#include <stdlib.h>
#include <string.h>

static void remove_waits(struct cup_own_wait_list *list, size_t from, size_t count)
{
    list->count -= count;
    memmove(&list->waits[from], &list->waits[from + count],
            (list->count - from) * sizeof *list->waits);
}

int cup_own_waits_keep(struct cup_own_wait_list *list, const struct cup_own_waits *waits)
{
    if (list->count == CUP_OWN_WAITS_MOST)
        remove_waits(list, 0, CUP_OWN_WAITS_MOST / 2);
    if (cup_array_grow(&list->waits, &list->room, list->count, sizeof *list->waits) != 0)
        return -1;
    list->waits[list->count++] = *waits;
    return 0;
}

bool cup_own_waits_take(struct cup_own_wait_list *list, uint32_t task, struct cup_own_waits *waits)
{
    for (size_t i = list->count; i-- > 0;) {
        if (list->waits[i].task != task)
            continue;
        *waits = list->waits[i];
        remove_waits(list, i, 1);
        return true;
    }
    return false;
}

void cup_own_waits_clear(struct cup_own_wait_list *list)
{
    free(list->waits);
    *list = (struct cup_own_wait_list){0};
}

static bool measures_waits(struct cup_loader *loader)
{
    return (process_of(loader)->header.features & CUP_FEATURE_WAITS) != 0;
}

/* Adds the time of a task that has ended to the sums of its prefix and process, unless that was
 * done before. OWN is NULL if no waits of its own thread are known. Tasks without a CPU time
 * (async tasks) are left out: all their time would be shown as waits. */
static void add_split_time(struct cup_loader *loader, struct cup_task *task,
                           const struct cup_own_waits *own)
{
    static const struct cup_own_waits nothing = {0};
    const struct cup_own_waits *waits = own ? own : &nothing;
    const struct cup_measured_waits *measured = measures_waits(loader) ? &waits->measured : NULL;
    uint64_t wall_ns = cup_task_wall_ns(task);
    if (task->split || !task->status || task->cpu_ns == CUP_UNKNOWN64)
        return;
    task->split = true;
    struct cup_wait_sums *sums[] = {
        &profile_of(loader)->prefixes[cup_task_prefix(profile_of(loader), task)].waits,
        &process_of(loader)->waits[cup_task_place(task)]};
    for (int i = 0; i < 2; i++) {
        uint64_t locks_ns = sums[i]->ns[CUP_WAITED_LOCK];
        cup_wait_sums_add_task(sums[i], wall_ns, task->cpu_ns, measured, waits->major_faults);
        if (cup_task_is_partly_attributed(profile_of(loader), task))
            sums[i]->unsure_lock_ns += sums[i]->ns[CUP_WAITED_LOCK] - locks_ns;
    }
}

static bool is_empty(const struct cup_own_waits *waits)
{
    uint64_t any = waits->major_faults;
    for (int i = 0; i < CUP_WAITED_MEASURED; i++)
        any |= waits->measured.ns[i];
    return any == 0;
}

/* Adds the waits of the own thread of a task. The COUNTERS record of that thread normally comes
 * before TASK_END: then its waits are kept until the task ends. */
void cup_load_own_waits(struct cup_loader *loader, uint32_t number, uint32_t index,
                        const uint64_t counters[CUP_COUNTER_COUNT])
{
    struct cup_profile *profile = profile_of(loader);
    const struct cup_own_waits waits = {number, cup_measured_waits_of(counters),
                                        counters[CUP_C_MAJOR_FAULTS]};
    if (profile->own_waits)
        cup_measured_waits_add(&profile->own_waits[index], &waits.measured);
    if (!measures_waits(loader) || is_empty(&waits))
        return;
    if (profile->tasks[index].status)
        add_split_time(loader, &profile->tasks[index], &waits);
    else if (cup_own_waits_keep(&loader->own_waits, &waits) != 0)
        loader->builder->out_of_memory = true;
}

static void count_duration(struct cup_loader *loader, const struct cup_task *task)
{
    struct cup_prefix *prefix =
        &profile_of(loader)->prefixes[cup_task_prefix(profile_of(loader), task)];
    uint64_t wall_ns = cup_task_wall_ns(task);
    prefix->durations[CUP_DURATION_TASK][cup_bucket(wall_ns)]++;
    if (wall_ns > prefix->longest_task_ns)
        prefix->longest_task_ns = wall_ns;
}

void cup_load_waits_at_task_end(struct cup_loader *loader, struct cup_task *task)
{
    struct cup_own_waits own;
    count_duration(loader, task);
    if (cup_own_waits_take(&loader->own_waits, task->number, &own))
        add_split_time(loader, task, &own);
}

void cup_load_waits_at_log_end(struct cup_loader *loader)
{
    struct cup_profile *profile = profile_of(loader);
    for (size_t i = process_of(loader)->first_task; i < profile->task_count; i++)
        add_split_time(loader, &profile->tasks[i], NULL);
}

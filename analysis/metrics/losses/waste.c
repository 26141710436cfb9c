#include "analysis/metrics/losses/waste.h"

#include <stdlib.h>

#include "analysis/base/array.h"
#include "analysis/base/hash_map.h"
#include "analysis/metrics/sums/sums.h"

static int64_t last_sign(const struct cup_profile *profile, const struct cup_task *task)
{
    return cup_process_last_sign_ns(&profile->processes[task->process]);
}

static void add_task(struct cup_waste *waste, const struct cup_task *task)
{
    uint64_t wall_ns = cup_task_wall_ns(task);
    waste->tasks++;
    waste->wall_ns += wall_ns == CUP_UNKNOWN64 ? 0 : wall_ns;
    waste->cpu_ns += task->cpu_ns == CUP_UNKNOWN64 ? 0 : task->cpu_ns;
    waste->read_bytes += task->read_bytes;
}

static void add_killed(struct cup_waste *waste, const struct cup_profile *profile,
                       const struct cup_task *task)
{
    int64_t end_ns = last_sign(profile, task);
    add_task(waste, task);
    waste->wall_ns += end_ns > task->start_ns ? (uint64_t)(end_ns - task->start_ns) : 0;
}

void cup_waste_add_failure(struct cup_waste_reasons *reasons, const struct cup_profile *profile,
                           const struct cup_task *task)
{
    if (task->status == CUP_STATUS_ERRED)
        add_task(&reasons->failed, task);
    else
        add_killed(&reasons->killed, profile, task);
}

/* ---- done again ------------------------------------------------------------------------- */

/* Tasks that succeeded, but whose result may not have been used; and for each of their keys the
 * attempt that started last. */
struct suspects {
    uint32_t *tasks; /* owned; indexes */
    size_t count, room;
    struct cup_hash_map latest; /* by key: index + 1 in profile->tasks of that attempt */
};

static int add_suspect(struct suspects *suspects, uint32_t task)
{
    if (cup_array_grow(&suspects->tasks, &suspects->room, suspects->count,
                       sizeof *suspects->tasks) != 0)
        return -1;
    suspects->tasks[suspects->count++] = task;
    return 0;
}

/* Chunks: totals->outcomes says which results were not used. */
static int suspect_chunks(struct suspects *suspects, const struct cup_totals *totals)
{
    const struct cup_profile *profile = totals->profile;
    int result = 0;
    for (size_t i = 0; totals->repeated_chunks && i < profile->item_count && result == 0; i++)
        if (totals->outcomes[i] == CUP_OUTCOME_REPEATED)
            result = add_suspect(suspects, profile->items[i].task);
    return result;
}

/* Other tasks: their result can only have been lost if their process ended before the last task
 * did. */
static int suspect_others(struct suspects *suspects, const struct cup_totals *totals)
{
    const struct cup_profile *profile = totals->profile;
    int result = 0;
    for (size_t p = 0; p < profile->process_count; p++) {
        const struct cup_process *process = &profile->processes[p];
        if (cup_process_last_sign_ns(process) >= totals->tasks.stop_ns)
            continue;
        for (uint32_t i = process->first_task; i < process->first_task + process->tasks; i++)
            if (profile->tasks[i].status == CUP_STATUS_FINISHED && !profile->tasks[i].item &&
                result == 0)
                result = add_suspect(suspects, i);
    }
    return result;
}

static int find_successors(struct suspects *suspects, const struct cup_profile *profile)
{
    const struct cup_task *tasks = profile->tasks;
    if (cup_hash_map_reserve(&suspects->latest, suspects->count) != 0)
        return -1;
    for (size_t i = 0; i < suspects->count; i++)
        *cup_hash_map_put(&suspects->latest, tasks[suspects->tasks[i]].key_hash) =
            suspects->tasks[i] + 1;
    for (size_t i = 0; i < profile->task_count; i++) {
        uint32_t *latest = cup_hash_map_find(&suspects->latest, tasks[i].key_hash);
        if (latest && tasks[i].start_ns > tasks[*latest - 1].start_ns)
            *latest = (uint32_t)i + 1;
    }
    return 0;
}

static void classify_task(struct cup_waste_reasons *reasons, const struct cup_totals *totals,
                          const struct cup_task *task, const struct cup_task *latest)
{
    bool gone = latest != task && latest->process != task->process &&
                last_sign(totals->profile, task) < latest->start_ns;
    bool is_chunk = task->item && cup_item_is_chunk(&totals->profile->items[task->item - 1]);
    if (gone)
        add_task(&reasons->lost, task);
    else if (is_chunk)
        add_task(&reasons->retried, task);
}

static int classify_tasks(struct cup_waste_reasons *reasons, const struct cup_totals *totals,
                          struct suspects *suspects)
{
    const struct cup_task *tasks = totals->profile->tasks;
    if (find_successors(suspects, totals->profile) != 0)
        return -1;
    for (size_t i = 0; i < suspects->count; i++) {
        const struct cup_task *task = &tasks[suspects->tasks[i]];
        classify_task(reasons, totals, task,
                      &tasks[*cup_hash_map_find(&suspects->latest, task->key_hash) - 1]);
    }
    return 0;
}

int cup_waste_add_done_again(struct cup_waste_reasons *reasons, const struct cup_totals *totals)
{
    struct suspects suspects = {0};
    int result = suspect_chunks(&suspects, totals);
    if (result == 0)
        result = suspect_others(&suspects, totals);
    if (result == 0 && suspects.count)
        result = classify_tasks(reasons, totals, &suspects);
    cup_hash_map_clear(&suspects.latest);
    free(suspects.tasks);
    return result;
}

struct cup_waste cup_waste_sum(const struct cup_waste_reasons *reasons)
{
    const struct cup_waste *parts[] = {&reasons->failed, &reasons->retried, &reasons->lost,
                                       &reasons->killed};
    struct cup_waste sum = {0};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        sum.tasks += parts[i]->tasks;
        sum.wall_ns += parts[i]->wall_ns;
        sum.cpu_ns += parts[i]->cpu_ns;
        sum.read_bytes += parts[i]->read_bytes;
    }
    return sum;
}

#include "analysis/metrics/sums/run_end.h"

#include "analysis/base/id_map.h"

static bool is_unfinished(const struct cup_task *task)
{
    return task->status == 0 && cup_task_place(task) == CUP_PLACE_POOL;
}

static bool has_unfinished(const struct cup_task *tasks, uint64_t count)
{
    for (uint64_t i = 0; i < count; i++)
        if (is_unfinished(&tasks[i]))
            return true;
    return false;
}

/* The task of the pool that started last on each thread: index + 1 by tid. */
static int find_last(struct cup_id_map *last, const struct cup_task *tasks, uint64_t count)
{
    for (uint64_t i = 0; i < count; i++) {
        uint32_t other = cup_id_map_get(last, tasks[i].tid);
        if (cup_task_place(&tasks[i]) != CUP_PLACE_POOL ||
            (other && tasks[other - 1].start_ns > tasks[i].start_ns))
            continue;
        if (cup_id_map_set(last, tasks[i].tid, (uint32_t)i + 1) != 0)
            return -1;
    }
    return 0;
}

/* False for a task whose end was only lost: its thread ran a later task. */
static int holds_a_thread(const struct cup_task *tasks, uint64_t count, bool *holds)
{
    struct cup_id_map last = {0};
    int result = find_last(&last, tasks, count);
    *holds = false;
    for (uint64_t i = 0; result == 0 && i < count && !*holds; i++)
        *holds = is_unfinished(&tasks[i]) && cup_id_map_get(&last, tasks[i].tid) == i + 1;
    cup_id_map_clear(&last);
    return result;
}

int cup_run_end_of_unfinished(const struct cup_profile *profile, int64_t *end_ns)
{
    *end_ns = 0;
    for (size_t i = 0; i < profile->process_count; i++) {
        const struct cup_process *process = &profile->processes[i];
        const struct cup_task *tasks = process->tasks ? &profile->tasks[process->first_task] : NULL;
        int64_t sign_ns = cup_process_last_sign_ns(process);
        bool holds;
        bool lost = process->header.health[CUP_H_RECORDS_DROPPED] > 0;
        if (lost || sign_ns <= *end_ns || !has_unfinished(tasks, process->tasks))
            continue;
        if (holds_a_thread(tasks, process->tasks, &holds) != 0)
            return -1;
        if (holds)
            *end_ns = sign_ns;
    }
    return 0;
}

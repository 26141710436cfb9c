#include "analysis/metrics/waste.h"

#include "analysis/metrics/key_table.h"
#include "analysis/metrics/totals.h"

static int64_t last_sign(const struct cup_profile *profile, const struct cup_task *task)
{
    return cup_process_last_sign_ns(&profile->processes[task->process]);
}

static void add(struct cup_waste *waste, const struct cup_task *task)
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
    add(waste, task);
    waste->wall_ns += end_ns > task->start_ns ? (uint64_t)(end_ns - task->start_ns) : 0;
}

static void add_failures(struct cup_waste_reasons *reasons, const struct cup_profile *profile)
{
    for (size_t i = 0; i < profile->task_count; i++) {
        const struct cup_task *task = &profile->tasks[i];
        if (task->status == CUP_STATUS_ERRED)
            add(&reasons->failed, task);
        else if (task->status == 0)
            add_killed(&reasons->killed, profile, task);
    }
}

/* ---- done again ------------------------------------------------------------------------- */

/* True if the task may be one that succeeded in vain. Of chunks it is known; other tasks are in
 * question only if a later task began after their process was gone. */
static bool is_suspect(const struct cup_totals *totals, const struct cup_task *task,
                       int64_t last_start_ns)
{
    const struct cup_profile *profile = totals->profile;
    if (task->item && cup_item_is_chunk(&profile->items[task->item - 1]))
        return totals->outcomes[task->item - 1] == CUP_OUTCOME_REPEATED;
    return task->status == CUP_STATUS_FINISHED && last_sign(profile, task) < last_start_ns;
}

static int64_t last_start(const struct cup_profile *profile)
{
    int64_t last_ns = 0;
    for (size_t i = 0; i < profile->task_count; i++)
        if (profile->tasks[i].start_ns > last_ns)
            last_ns = profile->tasks[i].start_ns;
    return last_ns;
}

static size_t count_suspects(const struct cup_totals *totals, int64_t last_start_ns)
{
    size_t count = 0;
    for (size_t i = 0; i < totals->profile->task_count; i++)
        count += is_suspect(totals, &totals->profile->tasks[i], last_start_ns);
    return count;
}

/* Keeps, by key, index + 1 of the latest start of it. */
static void find_successors(struct cup_key_table *table, const struct cup_totals *totals,
                            int64_t last_start_ns)
{
    const struct cup_task *tasks = totals->profile->tasks;
    for (size_t i = 0; i < totals->profile->task_count; i++)
        if (is_suspect(totals, &tasks[i], last_start_ns))
            *cup_key_table_put(table, tasks[i].key_hash) = (uint32_t)i + 1;
    for (size_t i = 0; i < totals->profile->task_count; i++) {
        uint32_t *latest = cup_key_table_find(table, tasks[i].key_hash);
        if (latest && tasks[i].start_ns > tasks[*latest - 1].start_ns)
            *latest = (uint32_t)i + 1;
    }
}

static void judge(struct cup_waste_reasons *reasons, const struct cup_totals *totals,
                  const struct cup_task *task, const struct cup_task *latest)
{
    bool gone = latest != task && latest->process != task->process &&
                last_sign(totals->profile, task) < latest->start_ns;
    bool is_chunk = task->item && cup_item_is_chunk(&totals->profile->items[task->item - 1]);
    if (gone)
        add(&reasons->lost, task);
    else if (is_chunk)
        add(&reasons->retried, task);
}

static int add_done_again(struct cup_waste_reasons *reasons, const struct cup_totals *totals)
{
    const struct cup_task *tasks = totals->profile->tasks;
    struct cup_key_table table;
    int64_t last_start_ns = last_start(totals->profile);
    size_t suspects = count_suspects(totals, last_start_ns);
    if (suspects == 0)
        return 0;
    if (cup_key_table_start(&table, suspects) != 0)
        return -1;
    find_successors(&table, totals, last_start_ns);
    for (size_t i = 0; i < totals->profile->task_count; i++)
        if (is_suspect(totals, &tasks[i], last_start_ns))
            judge(reasons, totals, &tasks[i],
                  &tasks[*cup_key_table_find(&table, tasks[i].key_hash) - 1]);
    cup_key_table_free(&table);
    return 0;
}

int cup_waste_make(struct cup_waste_reasons *reasons, const struct cup_totals *totals)
{
    *reasons = (struct cup_waste_reasons){0};
    if (totals->all.erred || totals->all.unfinished)
        add_failures(reasons, totals->profile);
    return add_done_again(reasons, totals);
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

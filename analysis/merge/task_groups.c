#include "analysis/merge/task_groups.h"

#include <stdlib.h>
#include <string.h>

#include "analysis/base/array.h"
#include "analysis/base/hash_map.h"
#include "analysis/base/intern.h"

/* ---- what a task adds ----------------------------------------------------------------------- */

static uint64_t known(uint64_t value)
{
    return value == CUP_UNKNOWN64 ? 0 : value;
}

/* As in Coffea's own sums, figures that a chunk does not have are left out. */
static void set_report(uint64_t *values, const struct cup_profile *profile,
                       const struct cup_task *task, const struct cup_item *item)
{
    values[CUP_T_WITH_ENTRIES] = item->reported_entries != CUP_NO_ENTRIES;
    values[CUP_T_ENTRIES] = known(cup_item_reported_entries(item));
    if (!item->reported)
        return;
    values[CUP_T_REPORTS] = 1;
    if (item->toc_ns > item->tic_ns)
        values[CUP_T_REPORT_PROCESS_NS] = (uint64_t)(item->toc_ns - item->tic_ns);
    if (item->requested_bytes != CUP_UNKNOWN64) {
        values[CUP_T_WITH_BYTES] = 1;
        values[CUP_T_REQUESTED_BYTES] = item->requested_bytes;
        values[CUP_T_REPORT_READ_BYTES] = task->read_bytes;
    }
    values[CUP_T_WITH_COLUMNS] = cup_source_of(profile, item)->columns != 0;
}

static void set_clock_calls(uint64_t *values, const struct cup_task *task,
                            const struct cup_item *item)
{
    if (item->tic_ns == 0 || item->toc_ns < item->tic_ns)
        return;
    values[CUP_T_TIMED] = 1;
    values[CUP_T_PROCESS_NS] = (uint64_t)(item->toc_ns - item->tic_ns);
    values[CUP_T_PROCESS_CPU_NS] = known(item->cpu_ns);
    if (item->tic_ns > task->start_ns)
        values[CUP_T_OPEN_NS] = (uint64_t)(item->tic_ns - task->start_ns);
}

static void set_item(uint64_t *values, const struct cup_profile *profile,
                     const struct cup_task *task, const struct cup_item *item)
{
    values[CUP_T_EVENTS] = known(cup_item_events(item));
    set_clock_calls(values, task, item);
    set_report(values, profile, task, item);
    values[CUP_T_ENTRIES_KNOWN] = item->entries_read != CUP_ENTRIES_UNKNOWN;
    values[CUP_T_ENTRIES_MISSING] = item->entries_read == CUP_ENTRIES_MISSING;
}

static void set_values(uint64_t *values, const struct cup_profile *profile,
                       const struct cup_task *task)
{
    const struct cup_item *item = cup_task_item(profile, task);
    bool has_cpu = task->cpu_ns != CUP_UNKNOWN64;
    values[CUP_T_TASKS] = 1;
    values[CUP_T_WALL_NS] = known(cup_task_wall_ns(task));
    values[CUP_T_CPU_NS] = known(task->cpu_ns);
    values[CUP_T_WITH_CPU_NS] = has_cpu ? values[CUP_T_WALL_NS] : 0;
    values[CUP_T_WITHOUT_CPU] = !has_cpu;
    values[CUP_T_NONCPU_NS] =
        has_cpu ? cup_noncpu_ns(values[CUP_T_WALL_NS], values[CUP_T_CPU_NS]) : 0;
    values[CUP_T_READ_BYTES] = task->read_bytes;
    values[CUP_T_PARTLY] = cup_task_is_partly_attributed(profile, task);
    values[CUP_T_RESULT_BYTES] = known(task->result_bytes);
    values[CUP_T_FIRST_NS] = values[CUP_T_LAST_START_NS] = (uint64_t)task->start_ns;
    values[CUP_T_LAST_NS] = (uint64_t)task->stop_ns;
    if (item)
        set_item(values, profile, task, item);
}

/* ---- groups --------------------------------------------------------------------------------- */

static uint32_t what_of(const struct cup_profile *profile, const struct cup_task *task,
                        bool has_inputs)
{
    const struct cup_item *item = cup_task_item(profile, task);
    uint32_t what = (uint32_t)task->status << 8 | (uint32_t)task->origin << 16;
    what |= has_inputs ? CUP_SUM_HAS_INPUTS : 0;
    if (!item)
        return what;
    bool has_events = cup_item_events(item) != CUP_UNKNOWN64;
    return what | CUP_SUM_HAS_ITEM | item->kind | (cup_item_is_chunk(item) ? CUP_SUM_IS_CHUNK : 0) |
           (has_events ? CUP_SUM_HAS_EVENTS : 0);
}

static bool is_same(const struct cup_task_sum *a, const struct cup_task_sum *b)
{
    return a->prefix == b->prefix && a->server == b->server && a->span == b->span &&
           a->span_id == b->span_id && a->dataset == b->dataset && a->what == b->what;
}

static uint64_t hash_group(const struct cup_task_sum *sum)
{
    const uint32_t parts[] = {sum->prefix,  sum->server,  sum->span,
                              sum->span_id, sum->dataset, sum->what};
    return cup_text_hash((struct cup_text){(const char *)parts, sizeof parts});
}

/* The next task is mostly of the group of the one before. BY_HASH: index + 1; of groups with the
 * same hash, later ones are at the next numbers. Index + 1; 0 without memory. */
static uint32_t find_group(struct cup_task_groups *groups, struct cup_hash_map *by_hash,
                           const struct cup_task_sum *wanted, uint32_t last)
{
    if (last && is_same(&groups->groups[last - 1], wanted))
        return last;
    uint64_t key = hash_group(wanted);
    uint32_t *at;
    while ((at = cup_hash_map_put(by_hash, key)) && *at &&
           !is_same(&groups->groups[*at - 1], wanted))
        key++;
    if (!at || *at)
        return at ? *at : 0;
    if (cup_array_grow(&groups->groups, &groups->room, groups->count, sizeof *groups->groups) != 0)
        return 0;
    groups->groups[groups->count] = *wanted;
    return *at = (uint32_t)++groups->count;
}

/* By index of a task: 1 if it has inputs. */
static int map_inputs(struct cup_id_map *with_inputs, const struct cup_profile *profile)
{
    for (size_t i = 0; i < profile->input_count; i++)
        if (cup_id_map_set(with_inputs, profile->inputs[i].task, 1) != 0)
            return -1;
    return 0;
}

int cup_task_groups_make(struct cup_task_groups *groups, const struct cup_profile *profile,
                         const struct cup_id_map *servers, uint32_t first)
{
    struct cup_id_map with_inputs = {0};
    struct cup_hash_map by_hash = {0};
    uint32_t last = 0;
    *groups = (struct cup_task_groups){0};
    int result = map_inputs(&with_inputs, profile);
    for (uint32_t i = 0; result == 0 && i < profile->task_count; i++) {
        const struct cup_task *task = &profile->tasks[i];
        const struct cup_item *item = cup_task_item(profile, task);
        const struct cup_scope *scope = cup_scope_of(profile, task);
        uint64_t values[CUP_TASK_SUM_COUNT] = {0};
        const struct cup_task_sum wanted = {
            .prefix = scope->prefix,
            .server = cup_id_map_get(servers, scope->server),
            .span = scope->span,
            .span_id = scope->span_id,
            .dataset = item ? cup_source_of(profile, item)->dataset : 0,
            .what = what_of(profile, task, cup_id_map_get(&with_inputs, i) != 0),
        };
        last = find_group(groups, &by_hash, &wanted, last);
        if (!last || cup_id_map_set(&groups->of_task, task->number, last) != 0)
            result = -1;
        set_values(values, profile, task);
        if (last)
            cup_task_sum_add(groups->groups[last - 1].values, values);
    }
    for (size_t i = 0; i < groups->count; i++)
        groups->groups[i].number = first + (uint32_t)i;
    cup_id_map_clear(&with_inputs);
    cup_hash_map_clear(&by_hash);
    return result;
}

void cup_task_groups_free(struct cup_task_groups *groups)
{
    free(groups->groups);
    cup_id_map_clear(&groups->of_task);
    *groups = (struct cup_task_groups){0};
}

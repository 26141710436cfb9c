#include "analysis/merge/kept_tasks.h"

#include <stdlib.h>

#include "analysis/base/hash_map.h"

struct choice {
    const struct cup_profile *all;
    struct cup_id_map *kept;
    bool out_of_memory;
};

static void keep(struct choice *choice, const struct cup_task *task)
{
    if (cup_id_map_set(choice->kept, task->number, 1) != 0)
        choice->out_of_memory = true;
}

/* ---- what became of them -------------------------------------------------------------------- */

static bool is_of_note(const struct cup_profile *all, const struct cup_task *task)
{
    const struct cup_item *item = cup_task_item(all, task);
    if (task->status == 0 || task->status == CUP_STATUS_ERRED)
        return true;
    if (!item)
        return false;
    bool is_unsure = item->kind == CUP_ITEM_METADATA && task->status == CUP_STATUS_UNKNOWN;
    return is_unsure || cup_item_was_skipped(task, item);
}

static void keep_failures(struct choice *choice)
{
    for (size_t i = 0; i < choice->all->task_count; i++)
        if (is_of_note(choice->all, &choice->all->tasks[i]))
            keep(choice, &choice->all->tasks[i]);
}

static void keep_repeated(struct choice *choice)
{
    const struct cup_profile *all = choice->all;
    struct cup_hash_map first = {0}; /* by key: index + 1 of the first attempt */
    for (uint32_t i = 0; i < all->task_count; i++) {
        uint32_t *known = cup_hash_map_put(&first, all->tasks[i].key_hash);
        if (!known) {
            choice->out_of_memory = true;
            break;
        }
        if (*known) {
            keep(choice, &all->tasks[*known - 1]);
            keep(choice, &all->tasks[i]);
        } else {
            *known = i + 1;
        }
    }
    cup_hash_map_clear(&first);
}

/* ---- the extremes of each prefix ------------------------------------------------------------ */

static uint64_t known(uint64_t value)
{
    return value == CUP_UNKNOWN64 ? 0 : value;
}

static uint64_t time_of(const struct cup_task *task)
{
    return known(cup_task_wall_ns(task));
}

static uint64_t bytes_of(const struct cup_task *task)
{
    return task->read_bytes;
}

static uint64_t wait_of(const struct cup_task *task)
{
    uint64_t wall_ns = time_of(task);
    return task->cpu_ns < wall_ns ? wall_ns - task->cpu_ns : 0;
}

static uint64_t end_of(const struct cup_task *task)
{
    return task->status ? (uint64_t)task->stop_ns : 0;
}

struct rank {
    uint32_t prefix, number, task;
    uint64_t value;
};

static int by_prefix_and_value(const void *left, const void *right)
{
    const struct rank *a = left, *b = right;
    if (a->prefix != b->prefix)
        return a->prefix < b->prefix ? -1 : 1;
    if (a->value != b->value)
        return a->value > b->value ? -1 : 1;
    if (a->number != b->number)
        return a->number < b->number ? -1 : 1;
    return (a->task > b->task) - (a->task < b->task);
}

static void keep_largest(struct choice *choice, struct rank *ranks, unsigned limit,
                         uint64_t (*value_of)(const struct cup_task *))
{
    const struct cup_profile *all = choice->all;
    size_t first = 0;
    for (uint32_t i = 0; i < all->task_count; i++) {
        const struct cup_task *task = &all->tasks[i];
        ranks[i] = (struct rank){cup_task_prefix(all, task), task->number, i, value_of(task)};
    }
    qsort(ranks, all->task_count, sizeof *ranks, by_prefix_and_value);
    for (size_t i = 0; i < all->task_count; i++) {
        if (ranks[i].prefix != ranks[first].prefix)
            first = i;
        if (i - first < limit)
            keep(choice, &all->tasks[ranks[i].task]);
    }
}

static void keep_extremes(struct choice *choice, unsigned limit)
{
    struct rank *ranks = calloc(choice->all->task_count + 1, sizeof *ranks);
    if (!ranks) {
        choice->out_of_memory = true;
        return;
    }
    keep_largest(choice, ranks, limit, time_of);
    keep_largest(choice, ranks, limit, bytes_of);
    keep_largest(choice, ranks, limit, wait_of);
    keep_largest(choice, ranks, limit, end_of);
    free(ranks);
}

/* ---- what other figures need ---------------------------------------------------------------- */

static bool starts_before(const struct cup_task *a, const struct cup_task *b)
{
    return a->start_ns != b->start_ns ? a->start_ns < b->start_ns : a->number < b->number;
}

/* A task without an end holds its thread until the next one there begins, or for good. */
static void keep_threads_ends(struct choice *choice)
{
    const struct cup_profile *all = choice->all;
    struct cup_id_map last = {0}; /* by tid: index + 1 */
    for (uint32_t i = 0; i < all->task_count; i++) {
        const struct cup_task *task = &all->tasks[i];
        uint32_t other = cup_id_map_get(&last, task->tid);
        if (other && all->tasks[other - 1].status == 0)
            keep(choice, task);
        if ((!other || starts_before(&all->tasks[other - 1], task)) &&
            cup_id_map_set(&last, task->tid, i + 1) != 0)
            choice->out_of_memory = true;
    }
    for (uint32_t i = 0; i < all->task_count; i++)
        if (cup_id_map_get(&last, all->tasks[i].tid) == i + 1)
            keep(choice, &all->tasks[i]);
    cup_id_map_clear(&last);
}

static void keep_column_sets(struct choice *choice)
{
    const struct cup_profile *all = choice->all;
    struct cup_id_map seen = {0};
    for (size_t i = 0; i < all->item_count; i++) {
        const struct cup_item *item = &all->items[i];
        uint32_t columns = cup_source_of(all, item)->columns;
        if (!columns || cup_id_map_get(&seen, columns) ||
            all->tasks[item->task].status != CUP_STATUS_FINISHED)
            continue;
        keep(choice, &all->tasks[item->task]);
        if (cup_id_map_set(&seen, columns, 1) != 0)
            choice->out_of_memory = true;
    }
    cup_id_map_clear(&seen);
}

static void keep_least_sure(struct choice *choice)
{
    const struct cup_profile *all = choice->all;
    const struct cup_task *most = NULL;
    for (size_t i = 0; i < all->task_count; i++)
        if (cup_task_is_partly_attributed(all, &all->tasks[i]) &&
            (!most || cup_rare_of(all, &all->tasks[i])->unattributed_bytes >
                          cup_rare_of(all, most)->unattributed_bytes))
            most = &all->tasks[i];
    if (most)
        keep(choice, most);
}

int64_t cup_choose_summed(struct cup_id_map *summed, struct cup_id_map *kept,
                          const struct cup_profile *all, unsigned limit)
{
    struct choice choice = {.all = all, .kept = kept};
    int64_t count = 0;
    keep_failures(&choice);
    keep_repeated(&choice);
    keep_extremes(&choice, limit);
    keep_threads_ends(&choice);
    keep_column_sets(&choice);
    keep_least_sure(&choice);
    for (size_t i = 0; i < all->task_count && !choice.out_of_memory; i++) {
        if (cup_id_map_get(kept, all->tasks[i].number))
            continue;
        choice.out_of_memory = cup_id_map_set(summed, all->tasks[i].number, 1) != 0;
        count++;
    }
    return choice.out_of_memory ? -1 : count;
}

#include "analysis/profile/item_attempts.h"

#include <stdlib.h>

struct attempt {
    const struct cup_item *item;
    struct cup_task *task;
};

static int compare(int64_t a, int64_t b)
{
    return (a > b) - (a < b);
}

/* 0: both are attempts at one item, perhaps in different calls of a Runner. */
static int compare_items(const struct cup_profile *profile, const struct cup_item *a,
                         const struct cup_item *b)
{
    const struct cup_item_source *from_a = cup_source_of(profile, a);
    const struct cup_item_source *from_b = cup_source_of(profile, b);
    int result = compare(a->file, b->file);
    if (result == 0)
        result = compare(a->entry_start, b->entry_start);
    if (result == 0)
        result = compare(a->entry_stop, b->entry_stop);
    if (result == 0)
        result = compare(from_a->dataset, from_b->dataset);
    if (result == 0)
        result = compare(from_a->tree, from_b->tree);
    return result ? result : compare(a->kind, b->kind);
}

static int by_item_and_time(const void *left, const void *right, void *profile)
{
    const struct attempt *a = left, *b = right;
    int result = compare_items(profile, a->item, b->item);
    if (result == 0)
        result = compare(a->task->start_ns, b->task->start_ns);
    return result ? result : compare(a->task->number, b->task->number);
}

static bool is_of_coffea(const struct cup_task *task)
{
    return task->origin == CUP_ORIGIN_COFFEA;
}

static bool is_without_result(const struct cup_task *task)
{
    return task->status == 0 || task->status == CUP_STATUS_ERRED;
}

/* A call of a Runner began after the task A, and not after B. */
static bool is_of_earlier_call(const struct cup_profile *profile, const struct cup_task *a,
                               const struct cup_task *b)
{
    for (size_t i = 0; i < profile->run_count; i++)
        if (profile->runs[i].start_ns > a->start_ns && profile->runs[i].start_ns <= b->start_ns)
            return true;
    return false;
}

/* The tasks of a group that had the same key_hash keep having the same one. */
static void link_attempts(const struct cup_profile *profile, struct attempt *attempts, size_t count)
{
    uint64_t before = attempts[0].task->key_hash; /* the hash that the last task had */
    for (size_t i = 1; i < count; i++) {
        struct cup_task *last = attempts[i - 1].task, *task = attempts[i].task;
        uint64_t own = task->key_hash;
        bool same = compare_items(profile, attempts[i - 1].item, attempts[i].item) == 0;
        if (same && (own == before ||
                     (is_without_result(last) && !is_of_earlier_call(profile, last, task))))
            task->key_hash = last->key_hash;
        before = own;
    }
}

int cup_item_attempts_link(struct cup_profile *profile)
{
    size_t count = 0, bad = 0;
    for (size_t i = 0; i < profile->item_count; i++) {
        const struct cup_task *task = &profile->tasks[profile->items[i].task];
        count += is_of_coffea(task);
        bad += is_of_coffea(task) && is_without_result(task);
    }
    if (bad == 0)
        return 0;
    struct attempt *attempts = calloc(count, sizeof *attempts);
    if (!attempts)
        return -1;
    count = 0;
    for (size_t i = 0; i < profile->item_count; i++) {
        struct cup_task *task = &profile->tasks[profile->items[i].task];
        if (is_of_coffea(task))
            attempts[count++] = (struct attempt){&profile->items[i], task};
    }
    qsort_r(attempts, count, sizeof *attempts, by_item_and_time, profile);
    link_attempts(profile, attempts, count);
    free(attempts);
    return 0;
}

#include <stdlib.h>

#include "analysis/tasks/task_columns.h"

/* A task as an attempt at its key. */
struct attempt {
    uint64_t key_hash;
    int64_t start_ns;
    uint32_t task;
};

static int by_key_and_start(const void *left, const void *right)
{
    const struct attempt *a = left, *b = right;
    if (a->key_hash != b->key_hash)
        return a->key_hash < b->key_hash ? -1 : 1;
    if (a->start_ns != b->start_ns)
        return a->start_ns < b->start_ns ? -1 : 1;
    return a->task < b->task ? -1 : a->task > b->task;
}

uint32_t *cup_task_attempts(const struct cup_profile *profile)
{
    size_t count = profile->task_count;
    uint32_t *attempts = calloc(count + 1, sizeof *attempts);
    struct attempt *sorted = calloc(count + 1, sizeof *sorted);
    if (attempts && sorted) {
        for (size_t i = 0; i < count; i++)
            sorted[i] = (struct attempt){profile->tasks[i].key_hash, profile->tasks[i].start_ns,
                                         (uint32_t)i};
        qsort(sorted, count, sizeof *sorted, by_key_and_start);
        for (size_t i = 0; i < count; i++)
            attempts[sorted[i].task] = i > 0 && sorted[i - 1].key_hash == sorted[i].key_hash
                                           ? attempts[sorted[i - 1].task] + 1
                                           : 1;
    } else {
        free(attempts);
        attempts = NULL;
    }
    free(sorted);
    return attempts;
}

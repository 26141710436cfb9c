#include <stdlib.h>

#include "analysis/tasks/task_columns.h"

/* One attempt at a key. */
struct run {
    uint64_t key_hash;
    int64_t start_ns;
    uint32_t task;
};

static int by_key_and_start(const void *left, const void *right)
{
    const struct run *a = left, *b = right;
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
    struct run *runs = calloc(count + 1, sizeof *runs);
    if (attempts && runs) {
        for (size_t i = 0; i < count; i++)
            runs[i] =
                (struct run){profile->tasks[i].key_hash, profile->tasks[i].start_ns, (uint32_t)i};
        qsort(runs, count, sizeof *runs, by_key_and_start);
        for (size_t i = 0; i < count; i++)
            attempts[runs[i].task] = i > 0 && runs[i - 1].key_hash == runs[i].key_hash
                                         ? attempts[runs[i - 1].task] + 1
                                         : 1;
    } else {
        free(attempts);
        attempts = NULL;
    }
    free(runs);
    return attempts;
}

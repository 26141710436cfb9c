#include <stdlib.h>

#include "analysis/task_columns.h"

/* One run of a key. Keys are told apart by 64 bits of hash: among ten million tasks, two keys
 * meet with a chance of about one in four hundred thousand. */
struct run {
    uint64_t key_hash;
    int64_t start_ns;
    uint32_t task;
};

static uint64_t hash(struct cup_text key)
{
    uint64_t value = UINT64_C(14695981039346656037);
    for (size_t i = 0; i < key.length; i++)
        value = (value ^ (unsigned char)key.bytes[i]) * UINT64_C(1099511628211);
    return value;
}

static int by_key_and_start(const void *left, const void *right)
{
    const struct run *a = left, *b = right;
    if (a->key_hash != b->key_hash)
        return a->key_hash < b->key_hash ? -1 : 1;
    if (a->start_ns != b->start_ns)
        return a->start_ns < b->start_ns ? -1 : 1;
    return a->task < b->task ? -1 : a->task > b->task;
}

static void read_runs(const struct cup_profile *profile, struct run *runs)
{
    struct cup_key_reader keys;
    cup_key_reader_open(&keys, profile);
    for (size_t i = 0; i < profile->task_count; i++) {
        struct cup_text key = cup_key_read(&keys, &profile->tasks[i]);
        runs[i] = (struct run){hash(key), profile->tasks[i].start_ns, (uint32_t)i};
        if (!key.bytes)
            runs[i].key_hash = i; /* not known: a key of its own */
    }
    cup_key_reader_close(&keys);
}

uint32_t *cup_task_attempts(const struct cup_profile *profile)
{
    size_t count = profile->task_count;
    uint32_t *attempts = calloc(count + 1, sizeof *attempts);
    struct run *runs = calloc(count + 1, sizeof *runs);
    if (attempts && runs) {
        read_runs(profile, runs);
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

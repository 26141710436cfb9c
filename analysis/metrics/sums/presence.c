/* How many workers and threads there were at one time. */
#include <stdlib.h>

#include "analysis/metrics/sums/sums.h"

/* A worker process comes or goes. */
struct change {
    int64_t time_ns;
    int64_t workers, threads; /* negative: they go */
};

/* A process that comes when another one goes counts as there together with it. */
static int by_time(const void *left, const void *right)
{
    const struct change *a = left, *b = right;
    return a->time_ns != b->time_ns ? (a->time_ns < b->time_ns ? -1 : 1)
                                    : (a->workers < b->workers) - (a->workers > b->workers);
}

static void find_most(struct cup_totals *totals, const struct change *changes, size_t count)
{
    int64_t workers = 0, threads = 0;
    totals->workers = totals->budget.threads = 0;
    for (size_t i = 0; i < count; i++) {
        workers += changes[i].workers;
        threads += changes[i].threads;
        if (workers > (int64_t)totals->workers)
            totals->workers = (uint64_t)workers;
        if (threads > (int64_t)totals->budget.threads)
            totals->budget.threads = (uint64_t)threads;
    }
}

int cup_workers_count(struct cup_totals *totals)
{
    static const struct cup_stretch always = {INT64_MIN, INT64_MAX};
    const struct cup_profile *profile = totals->profile;
    struct cup_stretch run = totals->all.tasks ? totals->run : always;
    struct change *changes = malloc((2 * profile->process_count + 1) * sizeof *changes);
    size_t count = 0;
    if (!changes)
        return -1;
    for (size_t i = 0; i < profile->process_count; i++) {
        int64_t workers = (int64_t)cup_process_workers(totals, i);
        int64_t threads = (int64_t)totals->budgets[i].threads;
        struct cup_stretch there = cup_process_presence(&profile->processes[i], run);
        if (workers + threads == 0 || there.stop_ns < there.start_ns)
            continue;
        totals->all_workers += (uint64_t)workers;
        totals->workers_ns +=
            totals->all.tasks ? (double)workers * (double)(there.stop_ns - there.start_ns) : 0;
        changes[count++] = (struct change){there.start_ns, workers, threads};
        changes[count++] = (struct change){there.stop_ns, -workers, -threads};
    }
    qsort(changes, count, sizeof *changes, by_time);
    find_most(totals, changes, count);
    free(changes);
    return 0;
}

#include "analysis/metrics/chunks/memory_growth.h"

#include <stdlib.h>

#include "analysis/metrics/sums/sums.h"

/* A chunk begins, and the memory of its process at that time. */
struct moment {
    int64_t ns;
    double rss;
};

struct work {
    const struct cup_totals *totals;
    struct moment *moments; /* room for the chunks of any process, as `numbers` */
    double *numbers;
    double medians[CUP_GROWTH_PARTS]; /* added up over processes */
};

static int earlier_first(const void *left, const void *right)
{
    const struct moment *a = left, *b = right;
    return (a->ns > b->ns) - (a->ns < b->ns);
}

/* Returns how many chunks there are; they are in the order in which they began. */
static size_t list_chunks(struct work *work, const struct cup_process *process)
{
    const struct cup_task *tasks = work->totals->profile->tasks + process->first_task;
    size_t count = 0;
    for (size_t i = 0; i < process->tasks; i++) {
        const struct cup_task *task = &tasks[i];
        if (task->item && work->totals->outcomes[task->item - 1] != CUP_OUTCOME_NONE &&
            task->rss_start != CUP_RSS_UNKNOWN)
            work->moments[count++] =
                (struct moment){task->start_ns, (double)cup_rss_bytes(task->rss_start)};
    }
    qsort(work->moments, count, sizeof *work->moments, earlier_first);
    return count;
}

static double median_of_part(struct work *work, size_t part, size_t count)
{
    size_t first = part * count / CUP_GROWTH_PARTS, last = (part + 1) * count / CUP_GROWTH_PARTS;
    for (size_t i = first; i < last; i++)
        work->numbers[i - first] = work->moments[i].rss;
    return cup_quantile(work->numbers, last - first, 0.5);
}

static void add_process(struct work *work, struct cup_memory_growth *growth, size_t process)
{
    size_t count = list_chunks(work, &work->totals->profile->processes[process]);
    double medians[CUP_GROWTH_PARTS];
    if (count < CUP_GROWTH_CHUNKS || cup_process_workers(work->totals, process) > 1)
        return;
    for (size_t part = 0; part < CUP_GROWTH_PARTS; part++) {
        medians[part] = median_of_part(work, part, count);
        work->medians[part] += medians[part];
    }
    growth->processes++;
    growth->chunks += count;
    growth->chunk_bytes += (medians[CUP_GROWTH_PARTS - 1] - medians[0]) / (double)count *
                           CUP_GROWTH_PARTS / (CUP_GROWTH_PARTS - 1);
}

static bool is_steady(const double medians[CUP_GROWTH_PARTS])
{
    double rise = medians[CUP_GROWTH_PARTS - 1] - medians[0];
    for (size_t part = 1; part < CUP_GROWTH_PARTS; part++)
        if (!(medians[part] - medians[part - 1] >= CUP_GROWTH_STEP * rise / (CUP_GROWTH_PARTS - 1)))
            return false;
    return rise > CUP_GROWTH_SHARE * medians[0];
}

/* Mapped pages are counted for tasks of any kind: an upper bound for chunks. */
static bool is_mapped(const struct cup_memory_growth *growth, const struct cup_totals *totals)
{
    double mapped =
        (double)(totals->counters[CUP_C_MAPPED_BYTES] + totals->without_task[CUP_C_MAPPED_BYTES]);
    double grown = growth->chunk_bytes * (double)totals->profile->item_count;
    return mapped > CUP_GROWTH_MAPPED * grown;
}

static void finish(struct work *work, struct cup_memory_growth *growth)
{
    double processes = (double)growth->processes;
    if (growth->processes == 0)
        return;
    growth->first_bytes = work->medians[0] / processes;
    growth->last_bytes = work->medians[CUP_GROWTH_PARTS - 1] / processes;
    growth->chunk_bytes /= processes;
    growth->chunks /= growth->processes;
    growth->grows = is_steady(work->medians) && !is_mapped(growth, work->totals);
}

int cup_memory_growth_make(struct cup_memory_growth *growth, const struct cup_totals *totals)
{
    const struct cup_profile *profile = totals->profile;
    struct work work = {.totals = totals};
    uint64_t most = 0;
    *growth = (struct cup_memory_growth){.grows = false};
    for (size_t i = 0; i < profile->process_count; i++)
        most = profile->processes[i].tasks > most ? profile->processes[i].tasks : most;
    work.moments = malloc((most + 1) * sizeof *work.moments);
    work.numbers = malloc((most + 1) * sizeof *work.numbers);
    int result = work.moments && work.numbers ? 0 : -1;
    for (size_t i = 0; result == 0 && i < profile->process_count && !profile->chunks_summed; i++)
        add_process(&work, growth, i);
    if (result == 0)
        finish(&work, growth);
    free(work.moments);
    free(work.numbers);
    return result;
}

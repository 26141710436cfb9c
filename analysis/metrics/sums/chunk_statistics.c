/* Statistics over the chunks whose result was used. */
#include <math.h>
#include <pthread.h>
#include <stdlib.h>

#include "analysis/base/parallel.h"
#include "analysis/metrics/sums/sums.h"

static double per_event(double value, const struct cup_item *item)
{
    uint64_t events = cup_item_events(item);
    return events == CUP_UNKNOWN64 || events == 0 ? NAN : value / (double)events;
}

static double rss_delta(const struct cup_task *task)
{
    if (task->rss_start == CUP_UNKNOWN64 || task->rss_stop == CUP_UNKNOWN64)
        return NAN;
    return (double)task->rss_stop - (double)task->rss_start;
}

static double number_of(uint64_t value, double scale)
{
    return value == CUP_UNKNOWN64 ? NAN : (double)value / scale;
}

/* One number of one chunk, seconds or bytes; NAN: not known. */
static double chunk_number(enum cup_chunk_statistic which, const struct cup_task *task,
                           const struct cup_item *item)
{
    switch (which) {
    case CUP_STAT_WALL:
        return number_of(cup_task_wall_ns(task), 1e9);
    case CUP_STAT_CPU:
        return number_of(task->cpu_ns, 1e9);
    case CUP_STAT_OPEN:
        return item->tic_ns ? (double)(item->tic_ns - task->start_ns) / 1e9 : NAN;
    case CUP_STAT_PROCESS:
        return item->toc_ns ? (double)(item->toc_ns - item->tic_ns) / 1e9 : NAN;
    case CUP_STAT_TIME_PER_EVENT:
        return per_event(number_of(cup_task_wall_ns(task), 1e9), item);
    case CUP_STAT_RSS_DELTA:
        return rss_delta(task);
    case CUP_STAT_RSS_PER_EVENT:
        return per_event(rss_delta(task), item);
    case CUP_STAT_READ:
        return (double)task->read_bytes;
    case CUP_STAT_READ_PER_EVENT:
        return per_event((double)task->read_bytes, item);
    case CUP_STAT_EVENTS:
        return number_of(cup_item_events(item), 1);
    case CUP_STAT_RESULT:
        return number_of(task->result_bytes, 1);
    default:
        return NAN;
    }
}

/* One number of the baskets that a chunk read; NAN: not known. */
static double basket_number(const struct cup_profile *profile, enum cup_chunk_statistic which,
                            const struct cup_task *task)
{
    const struct cup_task_baskets *baskets = &profile->baskets[task - profile->tasks];
    if (!cup_process_has(profile, task->process, CUP_FEATURE_BASKETS))
        return NAN;
    if (which == CUP_STAT_BRANCHES)
        return (double)baskets->branches;
    if (which == CUP_STAT_COMPRESSED)
        return (double)baskets->compressed;
    return baskets->compressed && baskets->compressed == baskets->unseen_compressed
               ? NAN
               : (double)baskets->uncompressed;
}

static size_t collect_numbers(const struct cup_totals *totals, enum cup_chunk_statistic which,
                              double *numbers)
{
    const struct cup_profile *profile = totals->profile;
    bool of_baskets = which >= CUP_STAT_COMPRESSED && which <= CUP_STAT_BRANCHES;
    size_t count = 0;
    if (of_baskets && !profile->baskets)
        return 0;
    for (uint32_t i = 0; i < profile->item_count; i++) {
        if (totals->outcomes[i] != CUP_OUTCOME_USED)
            continue;
        const struct cup_task *task = cup_task_of_item(profile, i);
        double number = of_baskets ? basket_number(profile, which, task)
                                   : chunk_number(which, task, &profile->items[i]);
        if (!isnan(number))
            numbers[count++] = number;
    }
    return count;
}

/* Statistics that threads make side by side. */
struct statistics_job {
    const struct cup_totals *totals;
    struct cup_statistics *statistics;
    pthread_mutex_t lock; /* over next */
    int next;
};

static int take_statistic(struct statistics_job *job)
{
    pthread_mutex_lock(&job->lock);
    int which = job->next++;
    pthread_mutex_unlock(&job->lock);
    return which;
}

static void make_statistics(void *context)
{
    struct statistics_job *job = context;
    double *numbers = malloc((job->totals->profile->item_count + 1) * sizeof *numbers);
    for (int i = take_statistic(job); i < CUP_STAT_COUNT; i = take_statistic(job))
        job->statistics[i] =
            cup_statistics_of(numbers, numbers ? collect_numbers(job->totals, i, numbers) : 0);
    free(numbers);
}

enum { WORTH_A_THREAD = 10000 };

void cup_chunk_statistics(const struct cup_totals *totals,
                          struct cup_statistics statistics[CUP_STAT_COUNT])
{
    struct statistics_job job = {.totals = totals, .statistics = statistics};
    pthread_mutex_init(&job.lock, NULL);
    /* Two threads at most: each needs 8 bytes a chunk. */
    cup_parallel(totals->used_chunks > WORTH_A_THREAD ? 2 : 1, make_statistics, &job);
    pthread_mutex_destroy(&job.lock);
}

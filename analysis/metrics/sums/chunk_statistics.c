/* Statistics over the chunks whose result was used. */
#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "analysis/base/parallel.h"
#include "analysis/metrics/sums/sums.h"

static double number_of(uint64_t value, double scale)
{
    return value == CUP_UNKNOWN64 ? NAN : (double)value / scale;
}

/* NAN without the second clock call (0), and if the clock was set back between the two. */
static double seconds_between(int64_t from_ns, int64_t to_ns)
{
    return to_ns >= from_ns ? (double)(to_ns - from_ns) / 1e9 : NAN;
}

/* Uncompressed bytes of the baskets that a chunk read; NAN if no hook saw their keys. */
static double uncompressed_bytes(const struct cup_task_baskets *baskets)
{
    bool unseen = baskets->compressed && baskets->compressed == baskets->unseen_compressed;
    return unseen ? NAN : (double)baskets->uncompressed;
}

/* What the chunk's task read of baskets; NULL: not known. */
static const struct cup_task_baskets *baskets_of(const struct cup_profile *profile,
                                                 const struct cup_task *task)
{
    return profile->baskets &&
                   cup_process_has(profile, cup_task_process(profile, task), CUP_FEATURE_BASKETS)
               ? &profile->baskets[task - profile->tasks]
               : NULL;
}

static double read_bytes(const struct cup_profile *profile, const struct cup_task *task)
{
    bool known = cup_process_has(profile, cup_task_process(profile, task), CUP_FEATURE_FILES);
    return known ? (double)task->read_bytes : NAN;
}

double cup_chunk_number(const struct cup_totals *totals, uint32_t index,
                        enum cup_chunk_statistic which)
{
    const struct cup_profile *profile = totals->profile;
    const struct cup_item *item = &profile->items[index];
    const struct cup_task *task = cup_task_of_item(profile, index);
    const struct cup_task_baskets *baskets = baskets_of(profile, task);
    double events = number_of(cup_item_events(item), 1);
    double divisor = events > 0 ? events : NAN; /* of figures per event */
    switch (which) {
    case CUP_STAT_WALL:
        return number_of(cup_task_wall_ns(task), 1e9);
    case CUP_STAT_CPU:
        return number_of(task->cpu_ns, 1e9);
    case CUP_STAT_OPEN:
        return seconds_between(task->start_ns, item->tic_ns);
    case CUP_STAT_PROCESS:
        return item->tic_ns ? seconds_between(item->tic_ns, item->toc_ns) : NAN;
    case CUP_STAT_TIME_PER_EVENT:
        return number_of(cup_task_wall_ns(task), 1e9) / divisor;
    case CUP_STAT_RSS_DELTA:
        return totals->rss_growth[index];
    case CUP_STAT_RSS_PER_EVENT:
        return totals->rss_growth[index] / divisor;
    case CUP_STAT_READ:
        return read_bytes(profile, task);
    case CUP_STAT_READ_PER_EVENT:
        return read_bytes(profile, task) / divisor;
    case CUP_STAT_COMPRESSED:
        return baskets ? (double)baskets->compressed : NAN;
    case CUP_STAT_UNCOMPRESSED:
        return baskets ? uncompressed_bytes(baskets) : NAN;
    case CUP_STAT_BRANCHES:
        return baskets ? (double)baskets->branches : NAN;
    case CUP_STAT_EVENTS:
        return events;
    case CUP_STAT_RESULT:
        return number_of(task->result_bytes, 1);
    default:
        return NAN;
    }
}

size_t cup_chunk_numbers(const struct cup_totals *totals, enum cup_chunk_statistic which,
                         double *numbers)
{
    size_t count = 0;
    if (totals->profile->chunks_summed)
        return 0; /* the kept chunks are not like the others */
    for (uint32_t i = 0; i < totals->profile->item_count; i++) {
        double number =
            totals->outcomes[i] == CUP_OUTCOME_USED ? cup_chunk_number(totals, i, which) : NAN;
        if (!isnan(number))
            numbers[count++] = number;
    }
    return count;
}

/* Statistics that threads make side by side. */
struct statistics_job {
    const struct cup_totals *totals;
    struct cup_statistics *statistics;
    atomic_int next;
};

static void make_statistics(void *context)
{
    struct statistics_job *job = context;
    double *numbers = malloc((job->totals->profile->item_count + 1) * sizeof *numbers);
    for (int i; (i = atomic_fetch_add(&job->next, 1)) < CUP_STAT_COUNT;)
        job->statistics[i] =
            cup_statistics_of(numbers, numbers ? cup_chunk_numbers(job->totals, i, numbers) : 0);
    free(numbers);
}

/* Chunks for which two threads are faster than one. Each needs 8 bytes a chunk, which very many
 * chunks are not worth. */
enum { WORTH_A_THREAD = 10000, TOO_LARGE_FOR_TWO = 4000000 };

void cup_chunk_statistics(const struct cup_totals *totals,
                          struct cup_statistics statistics[CUP_STAT_COUNT])
{
    struct statistics_job job = {.totals = totals, .statistics = statistics};
    bool two = totals->used_chunks > WORTH_A_THREAD && totals->used_chunks < TOO_LARGE_FOR_TWO;
    cup_parallel(two ? 2 : 1, make_statistics, &job);
}

/* Sums over workers that sampled themselves, at different times. A worker counts from its first
 * sample to its last. */
#include "analysis/metrics/workers/observed_parts.h"

#include <stdlib.h>

/* A worker joins (+1) or leaves (-1), with its threads. */
struct change {
    int64_t time_ns;
    double workers, threads;
};

static int earlier_first(const void *left, const void *right)
{
    const struct change *a = left, *b = right;
    return (a->time_ns > b->time_ns) - (a->time_ns < b->time_ns);
}

static size_t list_changes(const struct cup_observed *observed, struct change *changes)
{
    size_t count = 0;
    for (size_t i = 0; i < observed->worker_count; i++) {
        const struct cup_observed_worker *worker = &observed->workers[i];
        const struct cup_window *window = &observed->window;
        double threads = cup_timeline_average(&worker->values[CUP_SEEN_THREADS]);
        int64_t from_ns = worker->begin_ns > window->from_ns ? worker->begin_ns : window->from_ns;
        int64_t to_ns = worker->end_ns < window->to_ns ? worker->end_ns : window->to_ns;
        if (!worker->begin_ns || to_ns < from_ns)
            continue;
        changes[count++] = (struct change){from_ns, 1, threads};
        changes[count++] = (struct change){to_ns, -1, -threads};
    }
    qsort(changes, count, sizeof *changes, earlier_first);
    return count;
}

/* Adds two moments for each change, right before and right after it, so that the line has steps.
 * The number of workers is NAN here if the samples themselves have said it. */
static int add_change_moments(struct cup_observed *observed, const struct change *changes,
                              size_t count)
{
    bool counted = cup_timeline_known(&observed->count);
    double workers = 0, threads = 0;
    for (size_t i = 0; i < count; i++) {
        double shown = counted ? (double)NAN : workers;
        if (i > 0 && cup_observed_add_moment(observed, changes[i].time_ns, shown, threads) != 0)
            return -1;
        workers += changes[i].workers;
        threads += changes[i].threads;
        shown = counted ? (double)NAN : workers;
        if (i + 1 < count &&
            cup_observed_add_moment(observed, changes[i].time_ns, shown, threads) != 0)
            return -1;
    }
    return 0;
}

/* Adds up the areas below the workers' timelines, which gives averages over time. Values of all
 * workers at one moment are not known. */
static void sum_areas(struct cup_observed *observed)
{
    for (int value = 0; value < CUP_SEEN_COUNT; value++) {
        struct cup_timeline *total = &observed->totals[value];
        bool known = false;
        for (size_t i = 0; i < observed->worker_count; i++) {
            total->area += observed->workers[i].values[value].area;
            known |= cup_timeline_known(&observed->workers[i].values[value]);
        }
        total->span_ns = known ? observed->threads.span_ns : 0;
        total->cut_min = total->cut_max = (double)NAN;
    }
}

int cup_observed_sum_apart(struct cup_observed *observed)
{
    struct change *changes = malloc((2 * observed->worker_count + 1) * sizeof *changes);
    int result = -1;
    if (changes)
        result = add_change_moments(observed, changes, list_changes(observed, changes));
    free(changes);
    if (result == 0)
        sum_areas(observed);
    return result;
}

/* Adds the samples that workers under cupping take of themselves: their CPU time, and how long
 * their event loop was blocked. */
#include "analysis/metrics/workers/observed_parts.h"

#include <stdlib.h>

/* Adds a worker's sample of itself. Its CPU usage is that since the sample before. */
static void add_own(struct cup_observed_worker *worker, const struct cup_window *window,
                    const struct cup_sample_row *row, int64_t *last_ns)
{
    int64_t from_ns = *last_ns > window->from_ns ? *last_ns : window->from_ns;
    int64_t to_ns = row->time_ns < window->to_ns ? row->time_ns : window->to_ns;
    double cpu = row->values[CUP_SEEN_CPU] / 100, threads = row->values[CUP_SEEN_THREADS];
    if (*last_ns && to_ns > from_ns && !isnan(cpu) && !isnan(threads)) {
        worker->process_cpu_s += cpu * (double)(to_ns - from_ns) / 1e9;
        worker->process_thread_s += threads * (double)(to_ns - from_ns) / 1e9;
    }
    cup_timeline_add(&worker->own_stalls, window, row->time_ns, row->values[CUP_SEEN_STALL], true);
    *last_ns = row->time_ns;
}

static int add_own_samples(struct cup_observed *observed, struct cup_sample_feed *feed)
{
    struct cup_observed_worker **workers = calloc(feed->worker_count + 1, sizeof *workers);
    int64_t *last_ns = calloc(feed->worker_count + 1, sizeof *last_ns);
    struct cup_sample_head head;
    struct cup_sample_row row;
    bool room = workers && last_ns;
    for (size_t i = 0; room && i < feed->worker_count; i++)
        workers[i] = cup_observed_of_address(observed, feed->workers[i].address);
    while (room && cup_sample_feed_next(feed, &head))
        while (cup_sample_feed_row(feed, &row))
            if (workers[row.worker])
                add_own(workers[row.worker], &observed->window, &row, &last_ns[row.worker]);
    free(workers);
    free(last_ns);
    return room ? 0 : -1;
}

int cup_observed_add_own(struct cup_observed *observed)
{
    struct cup_sample_feed feed;
    const struct cup_window *window = &observed->window;
    if (cup_sample_feed_open(&feed, observed->profile, CUP_SAMPLES_WORKERS, window->from_ns,
                             window->to_ns))
        return -1;
    int result = add_own_samples(observed, &feed);
    return cup_sample_feed_close(&feed) == 0 ? result : -1;
}

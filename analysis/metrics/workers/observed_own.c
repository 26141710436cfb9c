/* Adds the samples that workers under cupping take of themselves: their CPU time, and how long
 * their event loop was blocked. */
#include "analysis/metrics/workers/observed_parts.h"

#include <stdlib.h>

/* Adds a worker's sample of itself. Its CPU usage is that since the sample before. */
static void add_own(struct cup_observed_worker *worker, const struct cup_window *window,
                    const struct cup_own_sample *own, int64_t *last_ns)
{
    int64_t from_ns = *last_ns > window->from_ns ? *last_ns : window->from_ns;
    int64_t to_ns = own->time_ns < window->to_ns ? own->time_ns : window->to_ns;
    double cpu = own->cpu / 100, threads = own->threads;
    if (*last_ns && to_ns > from_ns && !isnan(cpu) && !isnan(threads)) {
        worker->process_cpu_s += cpu * (double)(to_ns - from_ns) / 1e9;
        worker->process_thread_s += threads * (double)(to_ns - from_ns) / 1e9;
    }
    cup_timeline_add(&worker->own_stalls, window, own->time_ns, own->stall, true);
    *last_ns = own->time_ns;
}

/* FEED: open, for the names of the workers. */
static int add_own_samples(struct cup_observed *observed, const struct cup_sample_feed *feed)
{
    struct cup_observed_worker **workers = calloc(feed->worker_count + 1, sizeof *workers);
    int64_t *last_ns = calloc(feed->worker_count + 1, sizeof *last_ns);
    const struct cup_profile *profile = observed->profile;
    bool room = workers && last_ns;
    for (size_t i = 0; room && i < feed->worker_count; i++)
        workers[i] = cup_observed_of_address(observed, feed->workers[i].address);
    for (size_t i = 0; room && i < profile->own_sample_count; i++) {
        const struct cup_own_sample *own = &profile->own_samples[i];
        uint32_t worker = feed->numbers[own->worker];
        if (workers[worker])
            add_own(workers[worker], &observed->window, own, &last_ns[worker]);
    }
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

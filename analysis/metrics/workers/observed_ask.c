/* Figures of the observed workers, for reports and metrics. */
#include "analysis/metrics/workers/observed_parts.h"

static bool is_same(struct cup_text a, struct cup_text b)
{
    return a.bytes && b.bytes && cup_text_compare(a, b) == 0;
}

const struct cup_server *cup_worker_log(const struct cup_profile *profile, struct cup_text address)
{
    for (size_t i = 0; i < profile->server_count; i++)
        if (profile->servers[i].role == CUP_ROLE_WORKER &&
            is_same(cup_profile_text(profile, profile->servers[i].address), address))
            return &profile->servers[i];
    return NULL;
}

/* Whether a log may be missing here of a worker that wrote one, or that attach refused. */
static bool lacks_logs(const struct cup_profile *profile)
{
    uint64_t lacking = profile->logs_damaged + profile->logs_unreadable;
    for (int reason = 0; reason < CUP_PART_REASONS; reason++)
        lacking += profile->collected.logs[reason];
    return lacking + profile->collected.refused > 0;
}

uint64_t cup_workers_without_log(const struct cup_observed *observed, struct cup_text *first)
{
    uint64_t count = 0;
    if (observed->origin != CUP_SAMPLES_SCHEDULER || lacks_logs(observed->profile))
        return 0;
    for (size_t i = 0; i < observed->worker_count; i++) {
        const struct cup_observed_worker *worker = &observed->workers[i];
        if (!cup_observed_known(worker) || cup_worker_log(observed->profile, worker->address))
            continue;
        *first = worker->address;
        count++;
    }
    return count;
}

bool cup_workers_all_logged(const struct cup_observed *observed)
{
    for (size_t i = 0; i < observed->worker_count; i++) {
        const struct cup_server *log =
            cup_worker_log(observed->profile, observed->workers[i].address);
        if (cup_observed_known(&observed->workers[i]) && !(log && log->threads))
            return false;
    }
    return true;
}

struct cup_observed_worker *cup_observed_of_address(const struct cup_observed *observed,
                                                    struct cup_text address)
{
    for (size_t i = 0; i < observed->worker_count; i++)
        if (is_same(observed->workers[i].address, address))
            return &observed->workers[i];
    return NULL;
}

const struct cup_observed_worker *cup_observed_seen(const struct cup_observed *observed,
                                                    struct cup_text address)
{
    return cup_observed_of_address(observed, address);
}

const struct cup_observed_worker *cup_observed_find(const struct cup_observed *observed,
                                                    struct cup_text address)
{
    const struct cup_observed_worker *worker = cup_observed_of_address(observed, address);
    return worker && cup_observed_known(worker) ? worker : NULL;
}

const struct cup_timeline *cup_observed_stalls(const struct cup_observed_worker *worker)
{
    return cup_timeline_known(&worker->own_stalls) ? &worker->own_stalls
                                                   : &worker->values[CUP_SEEN_STALL];
}

static const struct cup_timeline *line_of(const struct cup_observed *observed, size_t worker,
                                          enum cup_seen_value value)
{
    return value == CUP_SEEN_STALL ? cup_observed_stalls(&observed->workers[worker])
                                   : &observed->workers[worker].values[value];
}

double cup_observed_per_worker(const struct cup_observed *observed, enum cup_seen_value value)
{
    double sum = 0, count = 0;
    for (size_t i = 0; i < observed->worker_count; i++) {
        double average = cup_timeline_average(line_of(observed, i, value));
        sum += isnan(average) ? 0 : average;
        count += !isnan(average);
    }
    return count > 0 ? sum / count : (double)NAN;
}

double cup_observed_highest(const struct cup_observed *observed, enum cup_seen_value value)
{
    double highest = (double)NAN;
    for (size_t i = 0; i < observed->worker_count; i++)
        highest = fmax(highest, cup_timeline_max(line_of(observed, i, value)));
    return highest;
}

double cup_observed_plain_mean(const struct cup_observed *observed, enum cup_seen_value value)
{
    struct cup_timeline all = {0};
    for (size_t i = 0; i < observed->worker_count; i++)
        cup_timeline_join(&all, line_of(observed, i, value));
    return cup_timeline_mean(&all);
}

double cup_observed_threads(const struct cup_observed *observed)
{
    double average = cup_timeline_average(&observed->threads);
    bool between = observed->samples == 0;
    bool changed = cup_timeline_max(&observed->threads) > cup_timeline_min(&observed->threads);
    return average > 0 && !(between && changed) ? average : (double)NAN;
}

int cup_observed_feed(const struct cup_observed *observed, struct cup_sample_feed *feed)
{
    return observed->origin == CUP_SAMPLES_FILE
               ? cup_sample_feed_open_file(feed, observed->file)
               : cup_sample_feed_open(feed, observed->profile, observed->origin,
                                      observed->window.from_ns, observed->window.to_ns);
}

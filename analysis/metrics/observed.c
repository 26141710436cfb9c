#include "analysis/metrics/observed.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/base/array.h"
#include "analysis/profile/roles.h"

/* While samples are gone through. */
struct pass {
    struct cup_observed *observed;
    struct cup_sample_feed *feed;
    uint64_t sample; /* number, from 1 on */
    int64_t last_ns; /* the sample before, within the window; 0: none */
    /* Of the sample at hand. */
    double threads;
    uint64_t rows, rows_with_threads;
    double sums[CUP_SEEN_COUNT];
    uint64_t known[CUP_SEEN_COUNT];
    double (*host_sums)[CUP_SEEN_COUNT]; /* owned; by host */
    uint32_t (*host_known)[CUP_SEEN_COUNT];
};

static bool is_within(const struct cup_window *window, int64_t time_ns)
{
    return time_ns >= window->from_ns && time_ns <= window->to_ns;
}

static bool is_of_host(int value)
{
    return value >= CUP_SEEN_NET_READ && value <= CUP_SEEN_DISK_WRITE;
}

/* ---- one row ---------------------------------------------------------------------------- */

/* It was not in the sample before: nothing joins the two. */
static void break_worker(struct cup_observed_worker *worker)
{
    cup_timeline_break(&worker->present);
    for (int i = 0; i < CUP_SEEN_COUNT; i++)
        cup_timeline_break(&worker->values[i]);
    for (int i = 0; i < CUP_PCT_COUNT; i++)
        cup_timeline_break(&worker->percents[i]);
}

static double percent_of(double part, double whole)
{
    return whole > 0 ? 100 * part / whole : (double)NAN;
}

static void add_percents(const struct pass *pass, struct cup_observed_worker *worker,
                         const struct cup_sample_row *row)
{
    const double *v = row->values;
    const struct cup_window *window = &pass->observed->window;
    struct cup_timeline *to = worker->percents;
    double threads = v[CUP_SEEN_THREADS];
    cup_timeline_add(&to[CUP_PCT_MEMORY], window, row->time_ns,
                     percent_of(v[CUP_SEEN_MEMORY], v[CUP_SEEN_LIMIT]), row->fresh);
    cup_timeline_add(&to[CUP_PCT_PROCESSING], window, row->time_ns,
                     percent_of(v[CUP_SEEN_PROCESSING], threads), true);
    cup_timeline_add(&to[CUP_PCT_EXECUTING], window, row->time_ns,
                     percent_of(v[CUP_SEEN_EXECUTING], threads), true);
    cup_timeline_add(&to[CUP_PCT_CPU], window, row->time_ns,
                     percent_of(v[CUP_SEEN_CPU] / 100, threads), row->fresh);
}

static void add_to_sums(struct pass *pass, uint32_t host, const double *values)
{
    pass->rows++;
    if (!isnan(values[CUP_SEEN_THREADS])) {
        pass->rows_with_threads++;
        pass->threads += values[CUP_SEEN_THREADS];
    }
    for (int i = 0; i < CUP_SEEN_COUNT; i++) {
        if (isnan(values[i]))
            continue;
        pass->known[i]++;
        pass->sums[i] += values[i];
        if (is_of_host(i)) {
            pass->host_sums[host][i] += values[i];
            pass->host_known[host][i]++;
        }
    }
}

/* Between two samples of one worker, where each looks at itself. */
static void add_gap(struct cup_observed *observed, int64_t *last_ns, int64_t time_ns)
{
    double gap_ns = *last_ns ? (double)(time_ns - *last_ns) : 0;
    observed->gaps += *last_ns != 0;
    observed->gaps_ns += gap_ns;
    if (gap_ns > observed->longest_gap_ns)
        observed->longest_gap_ns = gap_ns;
    *last_ns = time_ns;
}

static void see_within(struct pass *pass, struct cup_observed_worker *worker,
                       const struct cup_sample_row *row)
{
    if (!worker->first_ns)
        worker->first_ns = row->time_ns;
    if (!pass->feed->together) {
        pass->observed->samples++;
        add_gap(pass->observed, &worker->last_ns, row->time_ns);
    }
    worker->last_ns = row->time_ns;
    worker->heartbeats += row->fresh;
    worker->repeats += !row->fresh && !isnan(row->values[CUP_SEEN_MEMORY]);
}

static void add_row(struct pass *pass, const struct cup_sample_row *row)
{
    const struct cup_window *window = &pass->observed->window;
    struct cup_observed_worker *worker = &pass->observed->workers[row->worker];
    if (pass->feed->together && worker->sample + 1 != pass->sample)
        break_worker(worker);
    worker->sample = pass->sample;
    worker->begin_ns = worker->begin_ns ? worker->begin_ns : row->time_ns;
    worker->end_ns = row->time_ns;
    cup_timeline_add(&worker->present, window, row->time_ns, 1, true);
    for (int i = 0; i < CUP_SEEN_COUNT; i++)
        cup_timeline_add(&worker->values[i], window, row->time_ns, row->values[i],
                         row->fresh || i < CUP_SEEN_HEARTBEAT);
    add_percents(pass, worker, row);
    if (is_within(window, row->time_ns))
        see_within(pass, worker, row);
    if (pass->feed->together)
        add_to_sums(pass, worker->host, row->values);
}

/* ---- one sample ------------------------------------------------------------------------- */

static void start_sample(struct pass *pass)
{
    pass->sample++;
    pass->threads = 0;
    pass->rows = pass->rows_with_threads = 0;
    memset(pass->sums, 0, sizeof pass->sums);
    memset(pass->known, 0, sizeof pass->known);
    memset(pass->host_sums, 0, pass->observed->host_count * sizeof *pass->host_sums);
    memset(pass->host_known, 0, pass->observed->host_count * sizeof *pass->host_known);
}

static int add_moment(struct cup_observed *observed, int64_t time_ns, double workers,
                      double threads)
{
    cup_timeline_add(&observed->count, &observed->window, time_ns, workers, true);
    cup_timeline_add(&observed->threads, &observed->window, time_ns, threads, true);
    if (!is_within(&observed->window, time_ns))
        return 0;
    if (cup_array_grow(&observed->moments, &observed->moment_room, observed->moment_count,
                       sizeof *observed->moments) != 0)
        return -1;
    observed->moments[observed->moment_count++] = (struct cup_moment){time_ns, workers, threads};
    return 0;
}

/* Each host once: the mean of what its workers tell of it. */
static double sum_of_hosts(const struct pass *pass, int value)
{
    double sum = 0;
    for (uint32_t host = 0; host < pass->observed->host_count; host++)
        if (pass->host_known[host][value])
            sum += pass->host_sums[host][value] / pass->host_known[host][value];
    return sum;
}

static double total_of(const struct pass *pass, int value)
{
    if (pass->known[value] == 0)
        return (double)NAN;
    if (is_of_host(value))
        return sum_of_hosts(pass, value);
    return value == CUP_SEEN_STALL ? pass->sums[value] / (double)pass->known[value]
                                   : pass->sums[value];
}

static double threads_of(const struct pass *pass, const struct cup_sample_head *head)
{
    if (!isnan(head->threads))
        return head->threads;
    if (pass->rows_with_threads < pass->rows || (pass->rows == 0 && head->workers != 0))
        return (double)NAN;
    return pass->threads;
}

static int finish_sample(struct pass *pass, const struct cup_sample_head *head)
{
    struct cup_observed *observed = pass->observed;
    cup_timeline_add(&observed->stalls, &observed->window, head->time_ns, head->stall, true);
    for (int i = 0; i < CUP_SEEN_COUNT; i++)
        cup_timeline_add(&observed->totals[i], &observed->window, head->time_ns, total_of(pass, i),
                         true);
    if (is_within(&observed->window, head->time_ns)) {
        observed->samples++;
        add_gap(observed, &pass->last_ns, head->time_ns);
    }
    return add_moment(observed, head->time_ns, head->workers, threads_of(pass, head));
}

/* Of workers that were not looked at together: only how many there were may be told. */
static int finish_look(struct pass *pass, const struct cup_sample_head *head)
{
    return isnan(head->workers)
               ? 0
               : add_moment(pass->observed, head->time_ns, head->workers, (double)NAN);
}

static int go_through(struct pass *pass)
{
    struct cup_sample_head head;
    struct cup_sample_row row;
    while (cup_sample_feed_next(pass->feed, &head)) {
        start_sample(pass);
        while (cup_sample_feed_row(pass->feed, &row))
            add_row(pass, &row);
        if (pass->feed->together ? finish_sample(pass, &head) : finish_look(pass, &head))
            return -1;
    }
    return 0;
}

/* ---- workers that were not looked at together ------------------------------------------- */

/* A worker comes or goes. */
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

/* Each is there from its first sample to its last: two moments for each change, before and after
 * it. */
static int count_changes(struct cup_observed *observed, const struct change *changes, size_t count)
{
    bool counted = cup_timeline_known(&observed->count);
    double workers = 0, threads = 0;
    for (size_t i = 0; i < count; i++) {
        double shown = counted ? (double)NAN : workers;
        if (i > 0 && add_moment(observed, changes[i].time_ns, shown, threads) != 0)
            return -1;
        workers += changes[i].workers;
        threads += changes[i].threads;
        shown = counted ? (double)NAN : workers;
        if (i + 1 < count && add_moment(observed, changes[i].time_ns, shown, threads) != 0)
            return -1;
    }
    return 0;
}

/* Over time; what all had at one moment is not known. */
static void add_up(struct cup_observed *observed)
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

static int settle_apart(struct cup_observed *observed)
{
    struct change *changes = malloc((2 * observed->worker_count + 1) * sizeof *changes);
    int result = -1;
    if (changes)
        result = count_changes(observed, changes, list_changes(observed, changes));
    free(changes);
    if (result == 0)
        add_up(observed);
    return result;
}

/* ---- what the workers' own samples add -------------------------------------------------- */

/* The CPU time of a sample is that since the one before. */
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

static size_t find(const struct cup_observed *observed, struct cup_text address)
{
    size_t i = observed->worker_count;
    while (i > 0 && (observed->workers[i - 1].address.length != address.length ||
                     memcmp(observed->workers[i - 1].address.bytes, address.bytes, address.length)))
        i--;
    return i;
}

static int add_own_samples(struct cup_observed *observed, struct cup_sample_feed *feed)
{
    size_t *numbers = calloc(feed->worker_count + 1, sizeof *numbers); /* index + 1 */
    int64_t *last_ns = calloc(feed->worker_count + 1, sizeof *last_ns);
    struct cup_sample_head head;
    struct cup_sample_row row;
    bool room = numbers && last_ns;
    for (size_t i = 0; room && i < feed->worker_count; i++)
        numbers[i] = find(observed, feed->workers[i].address);
    while (room && cup_sample_feed_next(feed, &head))
        while (cup_sample_feed_row(feed, &row))
            if (numbers[row.worker])
                add_own(&observed->workers[numbers[row.worker] - 1], &observed->window, &row,
                        &last_ns[row.worker]);
    free(numbers);
    free(last_ns);
    return room ? 0 : -1;
}

static int see_own_samples(struct cup_observed *observed, const struct cup_profile *profile)
{
    struct cup_sample_feed feed;
    const struct cup_window *window = &observed->window;
    if (cup_sample_feed_open(&feed, profile, CUP_SAMPLES_WORKERS, window->from_ns, window->to_ns))
        return -1;
    int result = add_own_samples(observed, &feed);
    return cup_sample_feed_close(&feed) == 0 ? result : -1;
}

/* ---- sums over workers ------------------------------------------------------------------ */

static void see_cores(struct cup_observed *observed)
{
    double sum = 0, count = 0;
    observed->cores_min = observed->cores_max = (double)NAN;
    for (size_t i = 0; i < observed->worker_count; i++) {
        double cores = cup_timeline_average(&observed->workers[i].values[CUP_SEEN_THREADS]);
        if (isnan(cores))
            continue;
        observed->cores_min = fmin(observed->cores_min, cores);
        observed->cores_max = fmax(observed->cores_max, cores);
        sum += cores;
        count++;
    }
    observed->cores = count > 0 ? sum / count : (double)NAN;
}

static void sum_up(struct cup_observed *observed)
{
    see_cores(observed);
    for (size_t i = 0; i < observed->worker_count; i++) {
        const struct cup_observed_worker *worker = &observed->workers[i];
        if (!cup_observed_known(worker))
            continue;
        observed->known++;
        observed->heartbeats += worker->heartbeats;
        observed->repeats += worker->repeats;
        observed->without_limit += !cup_timeline_known(&worker->values[CUP_SEEN_LIMIT]) &&
                                   cup_timeline_known(&worker->values[CUP_SEEN_MEMORY]);
        for (int k = 0; k < CUP_PCT_COUNT; k++)
            cup_timeline_join(&observed->percents[k], &worker->percents[k]);
    }
}

/* ---- making ----------------------------------------------------------------------------- */

/* "tcp://10.0.0.1:4000" -> "10.0.0.1". */
static struct cup_text host_of(struct cup_text address)
{
    const char *end = address.bytes + address.length, *at = address.bytes, *colon = end;
    for (const char *next = at; next + 3 <= end; next++)
        if (memcmp(next, "://", 3) == 0)
            at = next + 3;
    for (const char *next = at; next < end; next++)
        if (*next == ':')
            colon = next;
    return (struct cup_text){at, (size_t)(colon - at)};
}

static uint32_t number_host(struct cup_observed *observed, size_t worker)
{
    struct cup_text host = host_of(observed->workers[worker].address);
    for (size_t i = 0; i < worker; i++) {
        struct cup_text other = host_of(observed->workers[i].address);
        if (other.length == host.length && memcmp(other.bytes, host.bytes, host.length) == 0)
            return observed->workers[i].host;
    }
    return observed->host_count++;
}

static int take_workers(struct cup_observed *observed, const struct cup_sample_feed *feed)
{
    observed->workers = calloc(feed->worker_count + 1, sizeof *observed->workers);
    if (!observed->workers)
        return -1;
    for (size_t i = 0; i < feed->worker_count; i++) {
        observed->workers[i].address = feed->workers[i].address;
        observed->workers[i].name = feed->workers[i].name;
        observed->workers[i].host = number_host(observed, i);
    }
    observed->worker_count = feed->worker_count;
    observed->origin = feed->origin;
    observed->others = feed->others;
    return 0;
}

static int run_pass(struct cup_observed *observed, struct cup_sample_feed *feed)
{
    struct pass pass = {.observed = observed, .feed = feed};
    pass.host_sums = calloc(observed->host_count + 1, sizeof *pass.host_sums);
    pass.host_known = calloc(observed->host_count + 1, sizeof *pass.host_known);
    int result = pass.host_sums && pass.host_known ? go_through(&pass) : -1;
    free(pass.host_sums);
    free(pass.host_known);
    if (result == 0 && !feed->together)
        result = settle_apart(observed);
    return result;
}

static double asked_for(const struct cup_profile *profile)
{
    for (size_t i = 0; i < profile->process_count; i++) {
        struct cup_text seconds = cup_process_fact(profile, i, "CUPPING_INTERVAL");
        char number[32];
        if (!seconds.bytes || seconds.length >= sizeof number)
            continue;
        memcpy(number, seconds.bytes, seconds.length);
        number[seconds.length] = '\0';
        return strtod(number, NULL);
    }
    return (double)NAN;
}

static void describe(struct cup_observed *observed)
{
    const struct cup_samples_file *file = observed->file;
    switch (observed->origin) {
    case CUP_SAMPLES_SCHEDULER:
        snprintf(observed->source, sizeof observed->source,
                 observed->others ? "D: samples of the scheduler with the most of them (%u others "
                                    "left out)"
                                  : "D: samples of the scheduler",
                 observed->others);
        break;
    case CUP_SAMPLES_WORKERS:
        snprintf(
            observed->source, sizeof observed->source,
            "D, estimated: each worker's samples of itself, for there are none of a scheduler; "
            "a worker counts from its first sample to its last");
        break;
    default:
        snprintf(observed->source, sizeof observed->source, "D: %.200s%s", file->path,
                 !file->zoneless ? ""
                 : file->local   ? " (times without a zone taken for local time of this machine)"
                                 : " (times without a zone taken for UTC)");
    }
}

/* Nothing lies within the window: what was made from the feed is dropped. */
static void forget(struct cup_observed *observed)
{
    const struct cup_observed kept = {.profile = observed->profile,
                                      .file = observed->file,
                                      .window = observed->window,
                                      .asked_s = observed->asked_s};
    cup_observed_free(observed);
    *observed = kept;
}

/* From that feed, which is closed. */
static int make(struct cup_observed *observed, struct cup_sample_feed *feed)
{
    int result = take_workers(observed, feed);
    if (result == 0)
        result = run_pass(observed, feed);
    if (cup_sample_feed_close(feed) != 0)
        result = -1;
    if (result == 0)
        sum_up(observed);
    if (result != 0 || !(cup_timeline_known(&observed->count) || observed->known))
        forget(observed);
    return result;
}

static struct cup_window window_of(struct cup_window run)
{
    return run.from_ns || run.to_ns ? run : (struct cup_window){INT64_MIN, INT64_MAX};
}

static int make_from(struct cup_observed *observed, const struct cup_profile *profile,
                     enum cup_sample_origin origin)
{
    struct cup_sample_feed feed;
    const struct cup_window *window = &observed->window;
    if (cup_sample_feed_open(&feed, profile, origin, window->from_ns, window->to_ns) != 0)
        return -1;
    return make(observed, &feed);
}

int cup_observed_make(struct cup_observed *observed, const struct cup_profile *profile,
                      struct cup_window window)
{
    *observed = (struct cup_observed){
        .profile = profile, .window = window_of(window), .asked_s = asked_for(profile)};
    int result = make_from(observed, profile, CUP_SAMPLES_SCHEDULER);
    if (result == 0 && !observed->origin)
        result = make_from(observed, profile, CUP_SAMPLES_WORKERS);
    if (result == 0 && observed->origin)
        result = see_own_samples(observed, profile);
    if (result == 0 && observed->origin)
        describe(observed);
    if (result == 0 && !observed->origin)
        snprintf(observed->reason, sizeof observed->reason, "%s",
                 profile->sample_count
                     ? "no sample lies within the run: it is shorter than their interval, or "
                       "neither scheduler nor workers were there"
                     : "no samples: neither a scheduler nor a worker that was sampled is in the "
                       "profile");
    if (result != 0)
        cup_observed_free(observed);
    return result;
}

int cup_observed_make_from_file(struct cup_observed *observed, const struct cup_profile *profile,
                                struct cup_window window, const struct cup_samples_file *file)
{
    struct cup_sample_feed feed;
    *observed = (struct cup_observed){
        .profile = profile, .file = file, .window = window_of(window), .asked_s = (double)NAN};
    int result = cup_sample_feed_open_file(&feed, file);
    if (result == 0)
        result = make(observed, &feed);
    if (result == 0 && observed->origin)
        result = see_own_samples(observed, profile);
    if (result == 0 && observed->origin)
        describe(observed);
    if (result == 0 && !observed->origin)
        snprintf(observed->reason, sizeof observed->reason,
                 "no sample in the file given with --samples lies within the run");
    if (result != 0)
        cup_observed_free(observed);
    return result;
}

void cup_observed_free(struct cup_observed *observed)
{
    free(observed->workers);
    free(observed->moments);
    *observed = (struct cup_observed){0};
}

/* ---- asking ----------------------------------------------------------------------------- */

static bool is_same(struct cup_text a, struct cup_text b)
{
    return a.bytes && b.bytes && a.length == b.length && memcmp(a.bytes, b.bytes, a.length) == 0;
}

bool cup_worker_has_log(const struct cup_profile *profile, struct cup_text address)
{
    for (size_t i = 0; i < profile->server_count; i++)
        if (profile->servers[i].role == CUP_ROLE_WORKER &&
            is_same(cup_profile_text(profile, profile->servers[i].address), address))
            return true;
    return false;
}

const struct cup_observed_worker *cup_observed_find(const struct cup_observed *observed,
                                                    struct cup_text address)
{
    for (size_t i = 0; i < observed->worker_count; i++)
        if (cup_observed_known(&observed->workers[i]) &&
            is_same(observed->workers[i].address, address))
            return &observed->workers[i];
    return NULL;
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

int cup_observed_feed(const struct cup_observed *observed, struct cup_sample_feed *feed)
{
    return observed->origin == CUP_SAMPLES_FILE
               ? cup_sample_feed_open_file(feed, observed->file)
               : cup_sample_feed_open(feed, observed->profile, observed->origin,
                                      observed->window.from_ns, observed->window.to_ns);
}

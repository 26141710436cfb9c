#include "analysis/metrics/workers/observed.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/base/array.h"
#include "analysis/metrics/workers/observed_parts.h"

/* State of one pass over the samples. */
struct pass {
    struct cup_observed *observed;
    struct cup_sample_feed *feed;
    uint64_t sample; /* number of the current sample, counted from 1 */
    int64_t last_ns; /* time of the sample before, if that was within the window; 0: none */
    /* Sums over the rows of the current sample. */
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

static void extend_line(const struct pass *pass, const struct cup_observed_worker *worker,
                        struct cup_timeline *line)
{
    if (line->open && line->last_ns < worker->end_ns)
        cup_timeline_add(line, &pass->observed->window, worker->end_ns, line->last, false);
}

/* Extends the timelines of a worker's heartbeat values up to its last sample: a value is valid
 * until the next heartbeat. Most samples only repeat the last heartbeat, so they are not added one
 * by one. */
static void extend_heartbeat_lines(const struct pass *pass, struct cup_observed_worker *worker)
{
    for (int i = CUP_SEEN_HEARTBEAT; i < CUP_SEEN_COUNT; i++)
        extend_line(pass, worker, &worker->values[i]);
    extend_line(pass, worker, &worker->percents[CUP_PCT_MEMORY]);
    extend_line(pass, worker, &worker->percents[CUP_PCT_CPU]);
}

/* Ends the timelines of a worker that was not in the sample before: no line joins its two
 * appearances. */
static void break_lines(const struct pass *pass, struct cup_observed_worker *worker)
{
    extend_heartbeat_lines(pass, worker);
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

static void add_state(const struct pass *pass, struct cup_observed_worker *worker,
                      const struct cup_sample_row *row)
{
    const struct cup_window *window = &pass->observed->window;
    const double *v = row->values;
    double threads = v[CUP_SEEN_THREADS];
    cup_timeline_add(&worker->present, window, row->time_ns, 1, true);
    for (int i = 0; i < CUP_SEEN_HEARTBEAT; i++)
        cup_timeline_add(&worker->values[i], window, row->time_ns, v[i], true);
    cup_timeline_add(&worker->percents[CUP_PCT_PROCESSING], window, row->time_ns,
                     percent_of(v[CUP_SEEN_PROCESSING], threads), true);
    cup_timeline_add(&worker->percents[CUP_PCT_EXECUTING], window, row->time_ns,
                     percent_of(v[CUP_SEEN_EXECUTING], threads), true);
}

static void add_heartbeat(const struct pass *pass, struct cup_observed_worker *worker,
                          const struct cup_sample_row *row, bool fresh)
{
    const struct cup_window *window = &pass->observed->window;
    const double *v = row->values;
    for (int i = CUP_SEEN_HEARTBEAT; i < CUP_SEEN_COUNT; i++)
        cup_timeline_add(&worker->values[i], window, row->time_ns, v[i], fresh);
    cup_timeline_add(&worker->percents[CUP_PCT_MEMORY], window, row->time_ns,
                     percent_of(v[CUP_SEEN_MEMORY], v[CUP_SEEN_LIMIT]), fresh);
    cup_timeline_add(&worker->percents[CUP_PCT_CPU], window, row->time_ns,
                     percent_of(v[CUP_SEEN_CPU] / 100, v[CUP_SEEN_THREADS]), fresh);
}

static void add_to_sums(struct pass *pass, uint32_t host, const double *values)
{
    pass->rows++;
    if (!isnan(values[CUP_SEEN_THREADS])) {
        pass->rows_with_threads++;
        pass->threads += values[CUP_SEEN_THREADS];
    }
    for (int i = CUP_SEEN_HEARTBEAT; i < CUP_SEEN_COUNT; i++) {
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

/* Adds the time between two samples: of the scheduler, or of one worker if each worker samples
 * itself. */
static void add_gap(struct cup_observed *observed, int64_t *last_ns, int64_t time_ns)
{
    double gap_ns = *last_ns ? (double)(time_ns - *last_ns) : 0;
    observed->gaps += *last_ns != 0;
    observed->gaps_ns += gap_ns;
    if (gap_ns > observed->longest_gap_ns)
        observed->longest_gap_ns = gap_ns;
    *last_ns = time_ns;
}

static void count_row_in_window(struct pass *pass, struct cup_observed_worker *worker,
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
    bool back = pass->feed->together && worker->sample + 1 != pass->sample;
    if (back)
        break_lines(pass, worker);
    if (row->fresh && !back)
        extend_heartbeat_lines(pass, worker);
    worker->sample = pass->sample;
    worker->begin_ns = worker->begin_ns ? worker->begin_ns : row->time_ns;
    worker->end_ns = row->time_ns;
    add_state(pass, worker, row);
    if (row->fresh || back)
        add_heartbeat(pass, worker, row, row->fresh);
    if (is_within(window, row->time_ns))
        count_row_in_window(pass, worker, row);
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

int cup_observed_add_moment(struct cup_observed *observed, int64_t time_ns, double workers,
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

/* Sum over hosts. All workers of a host report the host's value, so their mean counts. */
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
    observed->asked_s = head->interval_s;
    cup_timeline_add(&observed->stalls, &observed->window, head->time_ns, head->stall, true);
    for (int i = 0; i < CUP_SEEN_COUNT; i++)
        cup_timeline_add(&observed->totals[i], &observed->window, head->time_ns, total_of(pass, i),
                         true);
    if (is_within(&observed->window, head->time_ns)) {
        observed->samples++;
        add_gap(observed, &pass->last_ns, head->time_ns);
    }
    return cup_observed_add_moment(observed, head->time_ns, head->workers, threads_of(pass, head));
}

/* Ends a sample of one worker: such a sample can only say how many workers there are. */
static int finish_worker_sample(struct pass *pass, const struct cup_sample_head *head)
{
    pass->observed->asked_s = head->interval_s;
    return isnan(head->workers)
               ? 0
               : cup_observed_add_moment(pass->observed, head->time_ns, head->workers, (double)NAN);
}

static int go_through(struct pass *pass)
{
    struct cup_sample_head head;
    struct cup_sample_row row;
    while (cup_sample_feed_next(pass->feed, &head)) {
        start_sample(pass);
        while (cup_sample_feed_row(pass->feed, &row))
            add_row(pass, &row);
        if (pass->feed->together ? finish_sample(pass, &head) : finish_worker_sample(pass, &head))
            return -1;
    }
    for (size_t i = 0; i < pass->observed->worker_count; i++)
        extend_heartbeat_lines(pass, &pass->observed->workers[i]);
    return 0;
}

/* ---- sums over workers ------------------------------------------------------------------ */

static void find_cores(struct cup_observed *observed)
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
    find_cores(observed);
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
    if (!address.bytes)
        return (struct cup_text){"", 0};
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
    for (size_t i = 0; i < worker; i++)
        if (cup_text_compare(host_of(observed->workers[i].address), host) == 0)
            return observed->workers[i].host;
    return observed->host_count++;
}

static int copy_workers(struct cup_observed *observed, const struct cup_sample_feed *feed)
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
        result = cup_observed_sum_apart(observed);
    return result;
}

static void describe_source(struct cup_observed *observed)
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

/* No sample lies within the window: drops all figures, so that another origin can be tried. */
static void drop_feed_data(struct cup_observed *observed)
{
    const struct cup_observed kept = *observed;
    cup_observed_free(observed);
    observed->profile = kept.profile;
    observed->file = kept.file;
    observed->window = kept.window;
}

/* Makes the figures from the samples of that origin. The caller frees them also after a failure. */
static int make_from(struct cup_observed *observed, enum cup_sample_origin origin)
{
    struct cup_sample_feed feed;
    observed->origin = origin;
    if (cup_observed_feed(observed, &feed) != 0)
        return -1;
    int result = copy_workers(observed, &feed);
    if (result == 0)
        result = run_pass(observed, &feed);
    if (cup_sample_feed_close(&feed) != 0)
        result = -1;
    if (result == 0)
        sum_up(observed);
    if (result == 0 && !cup_timeline_known(&observed->count) && !observed->known)
        drop_feed_data(observed);
    return result;
}

static struct cup_window window_of(struct cup_window run)
{
    return run.from_ns || run.to_ns ? run : (struct cup_window){INT64_MIN, INT64_MAX};
}

static const char *reason_of(const struct cup_observed *observed)
{
    if (observed->file)
        return "no sample in the file given with --samples lies within the run";
    return observed->profile->sample_count
               ? "no sample lies within the run: it is shorter than their interval, or neither "
                 "scheduler nor workers were there"
               : "no samples: neither a scheduler nor a worker that was sampled is in the profile";
}

int cup_observed_make(struct cup_observed *observed, const struct cup_profile *profile,
                      struct cup_window window, const struct cup_samples_file *file)
{
    *observed =
        (struct cup_observed){.profile = profile, .file = file, .window = window_of(window)};
    int result = make_from(observed, file ? CUP_SAMPLES_FILE : CUP_SAMPLES_SCHEDULER);
    if (result == 0 && !observed->origin && !file)
        result = make_from(observed, CUP_SAMPLES_WORKERS);
    if (result == 0 && observed->origin)
        result = cup_observed_add_own(observed);
    if (result != 0)
        cup_observed_free(observed);
    else if (observed->origin)
        describe_source(observed);
    else
        snprintf(observed->reason, sizeof observed->reason, "%s", reason_of(observed));
    return result;
}

void cup_observed_free(struct cup_observed *observed)
{
    free(observed->workers);
    free(observed->moments);
    memset(observed, 0, sizeof *observed);
}

/* The workers, in the report's JSON: figures, a row for each, timelines. */
#include "analysis/report/page/json_page.h"

#include <math.h>

#include "analysis/metrics/workers/tracking.h"

/* ---- rows ------------------------------------------------------------------------------- */

static struct cup_value number_in(double number, bool bytes)
{
    return bytes ? cup_whole(number) : cup_real(number);
}

static const struct {
    const char *name;
    enum cup_seen_value value;
    bool bytes;
} told[] = {
    {"memory_bytes", CUP_SEEN_MEMORY, true},
    {"spilled_bytes", CUP_SEEN_SPILLED, true},
    {"managed_bytes", CUP_SEEN_MANAGED, true},
    {"unmanaged_bytes", CUP_SEEN_UNMANAGED, true},
    {"host_net_read_bps", CUP_SEEN_NET_READ, false},
    {"host_net_write_bps", CUP_SEEN_NET_WRITE, false},
    {"host_disk_read_bps", CUP_SEEN_DISK_READ, false},
    {"host_disk_write_bps", CUP_SEEN_DISK_WRITE, false},
    {"event_loop_stall_s", CUP_SEEN_STALL, false},
    {"num_fds", CUP_SEEN_FDS, false},
};

static const char *const percents[CUP_PCT_COUNT] = {
    [CUP_PCT_MEMORY] = "memory_utilization_pct",
    [CUP_PCT_PROCESSING] = "cpu_utilization_pct",
    [CUP_PCT_EXECUTING] = "executing_utilization_pct",
    [CUP_PCT_CPU] = "real_cpu_utilization_pct",
};

static void put_told(struct report *report, const struct cup_observed_worker *worker)
{
    for (size_t i = 0; i < sizeof told / sizeof *told; i++) {
        const struct cup_timeline *line = told[i].value == CUP_SEEN_STALL
                                              ? cup_observed_stalls(worker)
                                              : &worker->values[told[i].value];
        char peak[64];
        snprintf(peak, sizeof peak, "%s_peak", told[i].name);
        put(report, told[i].name, number_in(cup_timeline_average(line), told[i].bytes));
        put(report, peak, number_in(cup_timeline_max(line), told[i].bytes));
    }
}

static void put_percents(struct report *report, const struct cup_observed_worker *worker)
{
    for (int i = 0; i < CUP_PCT_COUNT; i++) {
        char max[64];
        snprintf(max, sizeof max, "%s_max", percents[i]);
        put(report, percents[i], cup_real(cup_timeline_mean(&worker->percents[i])));
        put(report, max, cup_real(cup_timeline_max(&worker->percents[i])));
    }
    put(report, "real_cpu_utilization_process_pct",
        cup_ratio(100 * worker->process_cpu_s, worker->process_thread_s));
}

static void put_observed(struct report *report, const struct cup_observed_worker *worker)
{
    static const struct cup_observed_worker nothing;
    bool heartbeats = report->totals->observed->origin == CUP_SAMPLES_SCHEDULER;
    worker = worker ? worker : &nothing;
    put(report, "samples", cup_count(worker->present.count));
    put(report, "heartbeats", heartbeats ? cup_count(worker->heartbeats) : cup_null());
    put(report, "first_sample", worker->first_ns ? cup_seconds(worker->first_ns) : cup_null());
    put(report, "last_sample", worker->first_ns ? cup_seconds(worker->last_ns) : cup_null());
    put_percents(report, worker);
    put_told(report, worker);
}

static void put_process(struct report *report, const struct cup_server *server)
{
    const struct cup_log_header *header =
        server ? &report->profile->processes[server->process].header : NULL;
    put(report, "host", header ? cup_string(header->host) : cup_null());
    put(report, "pid", header ? cup_count(header->pid) : cup_null());
}

static void put_worker(struct report *report, const struct cup_server *server,
                       const struct cup_observed_worker *worker)
{
    double threads = worker ? cup_timeline_average(&worker->values[CUP_SEEN_THREADS]) : (double)NAN;
    double limit = worker ? cup_timeline_max(&worker->values[CUP_SEEN_LIMIT]) : (double)NAN;
    cup_json_row(&report->json, NULL);
    put(report, "worker", server ? text_of(report, server->address) : cup_text(worker->address));
    put(report, "name", server ? text_of(report, server->name) : cup_text(worker->name));
    put_process(report, server);
    put(report, "threads",
        server && server->threads ? cup_count(server->threads) : cup_whole(threads));
    put(report, "memory_limit_bytes",
        server && server->memory_limit != CUP_UNKNOWN64 ? cup_count(server->memory_limit)
                                                        : cup_whole(limit));
    put(report, "tasks", server ? cup_count(server->tasks) : cup_null());
    put_observed(report, worker);
    cup_json_end_object(&report->json);
}

/* Workers with a log, then those that only samples know. */
static void put_rows(struct report *report)
{
    const struct cup_profile *profile = report->profile;
    const struct cup_observed *observed = report->totals->observed;
    cup_json_array(&report->json, "rows");
    for (size_t i = 0; i < profile->server_count; i++)
        if (profile->servers[i].role == CUP_ROLE_WORKER)
            put_worker(report, &profile->servers[i],
                       cup_observed_find(observed,
                                         cup_profile_text(profile, profile->servers[i].address)));
    for (size_t i = 0; i < observed->worker_count; i++)
        if (cup_observed_known(&observed->workers[i]) &&
            !cup_worker_has_log(profile, observed->workers[i].address))
            put_worker(report, NULL, &observed->workers[i]);
    cup_json_end_array(&report->json);
}

/* ---- timelines -------------------------------------------------------------------------- */

static void put_point(struct report *report, int64_t time_ns, double value)
{
    bool is_whole = value >= 0 && value < 9e15 && value == floor(value);
    cup_json_array(&report->json, NULL);
    put(report, NULL, cup_seconds(time_ns));
    put(report, NULL, is_whole ? cup_count((uint64_t)value) : cup_real(value));
    cup_json_end_array(&report->json);
}

static void put_counts(struct report *report, const struct cup_tracking *tracking)
{
    cup_json_list(&report->json, "worker_counts");
    for (size_t i = 0; i < tracking->moment_count; i++)
        if (!isnan(tracking->moments[i].workers))
            put_point(report, tracking->moments[i].time_ns, tracking->moments[i].workers);
    cup_json_end_array(&report->json);
}

/* Of the workers of which it is known. */
static void put_timeline(struct report *report, const struct cup_tracking *tracking, int value)
{
    const struct cup_observed *observed = report->totals->observed;
    cup_json_row(&report->json, cup_seen_names[value]);
    for (size_t i = 0; i < observed->worker_count; i++) {
        if (!cup_timeline_known(&observed->workers[i].values[value]))
            continue;
        char name[300];
        struct cup_text address = observed->workers[i].address;
        snprintf(name, sizeof name, "%.*s", (int)address.length, address.bytes);
        cup_json_array(&report->json, name);
        for (size_t k = tracking->first[i]; k < tracking->first[i + 1]; k++)
            if (!isnan(tracking->rows[k].values[value]))
                put_point(report, tracking->rows[k].time_ns, tracking->rows[k].values[value]);
        cup_json_end_array(&report->json);
    }
    cup_json_end_object(&report->json);
}

static int put_tracking(struct report *report)
{
    struct cup_tracking tracking;
    if (!report->totals->observed->origin) {
        put(report, "tracking_data", cup_null());
        put(report, "tracking_data_every", cup_null());
        return 0;
    }
    if (cup_tracking_make(&tracking, report->totals->observed, CUP_TRACKED_ROWS) != 0)
        return -1;
    cup_json_object(&report->json, "tracking_data");
    put_counts(report, &tracking);
    for (int value = 0; value < CUP_TRACKED_COUNT; value++)
        put_timeline(report, &tracking, value);
    cup_json_end_object(&report->json);
    put(report, "tracking_data_every", cup_count(tracking.every));
    cup_tracking_free(&tracking);
    return 0;
}

int cup_report_put_workers(struct report *report)
{
    cup_json_object(&report->json, "workers");
    put_metrics(report, &cup_workers_metrics);
    put_rows(report);
    int result = put_tracking(report);
    cup_json_end_object(&report->json);
    return result;
}

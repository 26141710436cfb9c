/* The workers: number, load and memory, and a row for each of the busiest. */
#include <math.h>

#include <stdlib.h>

#include "analysis/metrics/workers/tracking.h"
#include "analysis/report/page/section.h"

/* ---- lines ------------------------------------------------------------------------------ */

static void print_line(const struct cup_page *page, const char *name, const char *line)
{
    if (page->terminal.html) {
        cup_page_line(page, CUP_PLAIN, "%s: %s", name, line);
        return;
    }
    fprintf(page->terminal.out, "  %-15s", name);
    cup_print_hanging(&page->terminal, CUP_PLAIN, 17, line);
}

/* "4.00 per worker" or "2 to 8 per worker (mean 4.00)" into `to`. Returns `to`. */
static char *describe_size(const struct cup_page *page, char to[CUP_LINE_ROOM])
{
    double low = cup_metric_number(CUP_METRIC_cores_per_worker_min, page->totals);
    double high = cup_metric_number(CUP_METRIC_cores_per_worker_max, page->totals);
    return low < high ? cup_format(to, "%s to %s per worker (mean %s)",
                                   CUP_SHOW(low, CUP_UNIT_COUNT), CUP_SHOW(high, CUP_UNIT_COUNT),
                                   CUP_SHOW_METRIC(page, CUP_METRIC_cores_per_worker))
                      : cup_format(to, "%s per worker", CUP_SHOW(high, CUP_UNIT_COUNT));
}

static void print_count(const struct cup_page *page)
{
    char size[CUP_LINE_ROOM];
    double average = cup_metric_number(CUP_METRIC_avg_cores, page->totals),
           total = cup_metric_number(CUP_METRIC_total_cores, page->totals);
    bool differ = fabs(average - total) > 0.01 * average;
    print_line(page, "workers",
               CUP_FORMAT("%s on average, at most %s; %s threads, %s%s%s",
                          CUP_SHOW_METRIC(page, CUP_METRIC_avg_workers),
                          CUP_SHOW_METRIC(page, CUP_METRIC_peak_workers),
                          CUP_SHOW_METRIC(page, CUP_METRIC_avg_cores), describe_size(page, size),
                          differ ? "; roastcoffea counts workers x mean size: " : "",
                          differ ? CUP_SHOW_METRIC(page, CUP_METRIC_total_cores) : ""));
}

static void print_memory(const struct cup_page *page)
{
    double without = cup_metric_number(CUP_METRIC_workers_without_memory_limit, page->totals);
    if (isnan(cup_metric_number(CUP_METRIC_peak_memory_bytes, page->totals)))
        return;
    print_line(
        page, "memory",
        CUP_FORMAT("%s per worker on average, at most %s; %s of the limit, in samples at most %s; "
                   "spilled %s%s",
                   CUP_SHOW_METRIC(page, CUP_METRIC_avg_memory_per_worker_bytes),
                   CUP_SHOW_METRIC(page, CUP_METRIC_peak_memory_bytes),
                   CUP_SHOW_METRIC(page, CUP_METRIC_memory_utilization_pct),
                   CUP_SHOW_METRIC(page, CUP_METRIC_memory_utilization_pct_max),
                   CUP_SHOW_METRIC(page, CUP_METRIC_spilled_bytes_peak),
                   without > 0 ? CUP_FORMAT("; workers without a limit: %.0f", without) : ""));
}

static void print_use(const struct cup_page *page)
{
    double running = cup_metric_number(CUP_METRIC_executing_utilization_pct, page->totals),
           assigned = cup_metric_number(CUP_METRIC_cpu_utilization_pct, page->totals);
    print_line(page, "per thread",
               CUP_FORMAT("CPU %s by the processes' clocks (%s in Dask's samples); tasks that run: "
                          "%s; tasks that run or wait for a thread: %s",
                          CUP_SHOW_METRIC(page, CUP_METRIC_real_cpu_utilization_process_pct),
                          CUP_SHOW_METRIC(page, CUP_METRIC_real_cpu_utilization_pct),
                          CUP_SHOW(running / 100, CUP_UNIT_RATIO),
                          CUP_SHOW(assigned / 100, CUP_UNIT_RATIO)));
    print_line(page, "event loops",
               CUP_FORMAT("stalled up to %s in a worker, %s in the scheduler",
                          CUP_SHOW_METRIC(page, CUP_METRIC_event_loop_stall_s_peak),
                          CUP_SHOW_METRIC(page, CUP_METRIC_scheduler_event_loop_stall_s_peak)));
    print_line(page, "samples",
               CUP_FORMAT("%s, every %s (requested: %s), longest gap %s",
                          CUP_SHOW_METRIC(page, CUP_METRIC_num_samples),
                          CUP_SHOW_METRIC(page, CUP_METRIC_sample_interval_s),
                          CUP_SHOW_METRIC(page, CUP_METRIC_sample_interval_asked_s),
                          CUP_SHOW_METRIC(page, CUP_METRIC_sample_longest_gap_s)));
}

/* ---- each worker ------------------------------------------------------------------------ */

/* A worker with a log, with samples, or with both. */
struct known_worker {
    const struct cup_server *server;            /* NULL: it left no log */
    const struct cup_observed_worker *observed; /* all 0 without samples */
    bool shared; /* several logs have its address: whose the samples are is not known */
};

static struct cup_value peak_of(const struct cup_timeline *line)
{
    return cup_real(cup_timeline_max(line));
}

static struct cup_value threads_of(const struct known_worker *worker)
{
    return worker->server && worker->server->threads
               ? cup_count(worker->server->threads)
               : cup_whole(cup_timeline_average(&worker->observed->values[CUP_SEEN_THREADS]));
}

static struct cup_value limit_of(const struct known_worker *worker)
{
    return worker->server && worker->server->memory_limit != CUP_UNKNOWN64
               ? cup_count(worker->server->memory_limit)
               : cup_whole(cup_timeline_max(&worker->observed->values[CUP_SEEN_LIMIT]));
}

/* Share of its threads' time in which they held a task: by its log, unless that has several workers
 * or not the number of threads; else by samples. */
static struct cup_value running_of(const struct cup_totals *totals,
                                   const struct known_worker *worker)
{
    size_t process = worker->server ? worker->server->process : 0;
    return cup_real(worker->server && worker->server->threads &&
                            cup_process_workers(totals, process) == 1
                        ? cup_budget_busy_percent(&totals->budgets[process])
                        : cup_timeline_mean(&worker->observed->percents[CUP_PCT_EXECUTING]));
}

#define WORKER_FIELDS(X)                                                                           \
    X("worker", TEXT, server ? cup_row_text(rows, server->address) : cup_text(seen->address),      \
      .heading = "worker")                                                                         \
    X("name", TEXT, server ? cup_row_text(rows, server->name) : cup_text(seen->name),              \
      .heading = "name", .rank = 5, .none = "")                                                    \
    X("host", TEXT, cup_string(header ? header->host : NULL))                                      \
    X("pid", ID, header ? cup_count(header->pid) : cup_null())                                     \
    X("threads", COUNT, threads_of(worker))                                                        \
    X(NULL, COUNT, cup_real(cup_timeline_average(&seen->values[CUP_SEEN_THREADS])),                \
      .heading = "threads", .rank = 1)                                                             \
    X(NULL, SECONDS, cup_seconds(seen->present.span_ns), .heading = "there", .rank = 4)            \
    X(NULL, PERCENT, running_of(rows->totals, worker), .heading = "running")                       \
    X(NULL, PERCENT, cup_real(cup_timeline_mean(&seen->percents[CUP_PCT_CPU])), .heading = "CPU")  \
    X(NULL, BYTES, peak_of(&seen->values[CUP_SEEN_MEMORY]), .heading = "memory")                   \
    X(NULL, PERCENT, peak_of(&seen->percents[CUP_PCT_MEMORY]), .heading = "of limit", .rank = 2)   \
    X(NULL, BYTES, peak_of(&seen->values[CUP_SEEN_SPILLED]), .heading = "spilled", .rank = 3)      \
    X(NULL, SECONDS, peak_of(cup_observed_stalls(seen)), .heading = "stalled", .rank = 3)          \
    X("memory_limit_bytes", BYTES, limit_of(worker))                                               \
    X("tasks", COUNT, server ? cup_count(server->tasks) : cup_null())                              \
    X("samples", COUNT, cup_count_if(!worker->shared, seen->present.count))                        \
    X("heartbeats", COUNT, cup_count_if(heartbeats && !worker->shared, seen->heartbeats))          \
    X("first_sample", SECONDS, cup_value_if(seen->first_ns, cup_seconds(seen->first_ns)))          \
    X("last_sample", SECONDS, cup_value_if(seen->first_ns, cup_seconds(seen->last_ns)))

/* Mean and maximum of each percentage. */
static const char *percent_key(unsigned index, char room[CUP_KEY_ROOM])
{
    static const char *const names[CUP_PCT_COUNT] = {
        [CUP_PCT_MEMORY] = "memory_utilization_pct",
        [CUP_PCT_PROCESSING] = "cpu_utilization_pct",
        [CUP_PCT_EXECUTING] = "executing_utilization_pct",
        [CUP_PCT_CPU] = "real_cpu_utilization_pct",
    };
    snprintf(room, CUP_KEY_ROOM, "%s%s", names[index / 2], index % 2 ? "_max" : "");
    return room;
}

#define CLOCK_FIELDS(X)                                                                            \
    X("real_cpu_utilization_process_pct", PERCENT,                                                 \
      cup_ratio(100 * seen->process_cpu_s, seen->process_thread_s))

static const struct {
    const char *name;
    enum cup_seen_value value;
    bool bytes;
} amounts[] = {
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

enum { AMOUNTS = sizeof amounts / sizeof *amounts };

/* Mean and maximum of each amount. */
static const char *amount_key(unsigned index, char room[CUP_KEY_ROOM])
{
    snprintf(room, CUP_KEY_ROOM, "%s%s", amounts[index / 2].name, index % 2 ? "_peak" : "");
    return room;
}

static void fill_worker(struct cup_report_rows *rows, const void *item, struct cup_value *values)
{
    const struct known_worker *worker = item;
    const struct cup_server *server = worker->server;
    const struct cup_observed_worker *seen = worker->observed;
    const struct cup_log_header *header =
        server ? &rows->profile->processes[server->process].header : NULL;
    bool heartbeats = rows->totals->observed->origin == CUP_SAMPLES_SCHEDULER;
    CUP_FILL(values, WORKER_FIELDS);
    for (int i = 0; i < CUP_PCT_COUNT; i++) {
        *values++ = i == CUP_PCT_EXECUTING ? running_of(rows->totals, worker)
                                           : cup_real(cup_timeline_mean(&seen->percents[i]));
        *values++ = peak_of(&seen->percents[i]);
    }
    CUP_FILL(values, CLOCK_FIELDS);
    for (int i = 0; i < AMOUNTS; i++) {
        const struct cup_timeline *line = amounts[i].value == CUP_SEEN_STALL
                                              ? cup_observed_stalls(seen)
                                              : &seen->values[amounts[i].value];
        double average = cup_timeline_average(line), most = cup_timeline_max(line);
        *values++ = amounts[i].bytes ? cup_whole(average) : cup_real(average);
        *values++ = amounts[i].bytes ? cup_whole(most) : cup_real(most);
    }
}

/* The worker's busy thread time. Without any, its memory decides, as a number far below any busy
 * time. */
static double load_of(const struct cup_observed_worker *worker)
{
    const struct cup_timeline *running = &worker->values[CUP_SEEN_EXECUTING];
    const struct cup_timeline *memory = &worker->values[CUP_SEEN_MEMORY];
    double load = running->area + running->sum;
    return load > 0 ? load : cup_timeline_known(memory) ? cup_timeline_average(memory) * 1e-30 : 0;
}

static int more_loaded_first(const void *left, const void *right)
{
    const struct cup_observed_worker *a = *(const struct cup_observed_worker *const *)left;
    const struct cup_observed_worker *b = *(const struct cup_observed_worker *const *)right;
    double x = load_of(a), y = load_of(b);
    return x != y ? (x > y ? -1 : 1) : (a > b) - (a < b);
}

/* A worker that was restarted may have the address of the one before. */
static bool shares_address(const struct cup_profile *profile, const struct cup_server *server)
{
    if (!server->address)
        return false;
    for (size_t i = 0; i < profile->server_count; i++)
        if (&profile->servers[i] != server && profile->servers[i].role == CUP_ROLE_WORKER &&
            profile->servers[i].address == server->address)
            return true;
    return false;
}

/* Of workers that share an address, the samples are those of all of them. */
static int list_by_load(struct cup_report_rows *rows)
{
    const struct cup_observed *observed = rows->totals->observed;
    const struct cup_observed_worker **order = calloc(observed->worker_count + 1, sizeof *order);
    size_t count = 0;
    if (!order)
        return -1;
    for (size_t i = 0; i < observed->worker_count; i++)
        if (cup_observed_known(&observed->workers[i]))
            order[count++] = &observed->workers[i];
    qsort(order, count, sizeof *order, more_loaded_first);
    for (size_t i = 0; i < count; i++) {
        const struct cup_server *log = cup_worker_log(rows->profile, order[i]->address);
        bool shared = log && shares_address(rows->profile, log);
        cup_add_row(rows, &(struct known_worker){shared ? NULL : log, order[i], false});
    }
    free(order);
    return 0;
}

/* Lists workers with a log, then those that appear only in samples. */
static void list_all(struct cup_report_rows *rows)
{
    static const struct cup_observed_worker nothing;
    const struct cup_profile *profile = rows->profile;
    const struct cup_observed *observed = rows->totals->observed;
    for (size_t i = 0; i < profile->server_count; i++) {
        const struct cup_server *server = &profile->servers[i];
        const struct cup_observed_worker *seen =
            cup_observed_find(observed, cup_profile_text(profile, server->address));
        bool shared = shares_address(profile, server);
        if (server->role == CUP_ROLE_WORKER)
            cup_add_row(rows,
                        &(struct known_worker){server, seen && !shared ? seen : &nothing, shared});
    }
    for (size_t i = 0; i < observed->worker_count; i++)
        if (cup_observed_known(&observed->workers[i]) &&
            !cup_worker_log(profile, observed->workers[i].address))
            cup_add_row(rows, &(struct known_worker){NULL, &observed->workers[i], false});
}

static int list_workers(struct cup_report_rows *rows)
{
    if (rows->text.page)
        return list_by_load(rows);
    list_all(rows);
    return 0;
}

const struct cup_report_table cup_workers_table = {
    CUP_TABLE_PARTS(CUP_ROW_PART(WORKER_FIELDS, fill_worker),
                    {.count = 2 * CUP_PCT_COUNT, .key = percent_key},
                    CUP_ROW_PART(CLOCK_FIELDS, NULL), {.count = 2 * AMOUNTS, .key = amount_key}),
    list_workers, .on_screen = 10, .more = "worker in --json"};

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

/* Writes the timelines of one value, for the workers whose samples have it. */
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

static int print_workers(const struct cup_page *page)
{
    const struct cup_observed *observed = page->totals->observed;
    if (!observed->origin) {
        if (page->totals->all.tasks == 0)
            return 0;
        cup_page_heading(page, "Workers", "");
        cup_page_line(page, CUP_PLAIN, "%s", observed->reason);
        return 0;
    }
    cup_page_heading(page, "Workers", observed->source);
    print_count(page);
    print_memory(page);
    print_use(page);

    return cup_print_rows(page, &cup_workers_table, NULL, NULL, NULL);
}

const struct cup_report_section cup_workers_section = {
    .name = "workers",
    .metrics = &cup_workers_metrics,
    .table = &cup_workers_table,
    .print = print_workers,
    .put_last = put_tracking,
};

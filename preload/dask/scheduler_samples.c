#include "preload/dask/sample_record.h"
#include "preload/dask/task_facts.h"
#include "preload/lifecycle/recording.h"
#include "preload/log/log.h"
#include "preload/log/python_strings.h"
#include "preload/python/slots.h"

#include <stdio.h>
#include <string.h>

/* ---- occupancy --------------------------------------------------------------------------- */

/* Seconds that the tasks assigned to a worker are expected to take: Dask's WorkerState.occupancy.
 * That is a property implemented in Python; this code computes it from the same dicts and slots
 * without running Python code. */

enum { PREFIXES = 64 };

/* What occupancies are computed from, read once per sample of a scheduler. */
struct occupancy {
    struct {
        cup_object *name;  /* a reference is held, so no other object can take this address */
        double duration_s; /* Dask's estimate for one task; negative: unknown */
    } prefixes[PREFIXES];
    int count;        /* prefixes with tasks on workers; -1: too many, or unknown */
    double bandwidth; /* bytes/s between workers */
};

/* Dask's guess for a prefix of which no task has ended yet
 * (SchedulerState._get_prefix_duration). */
static double guess_duration(cup_object *scheduler, cup_object *prefix)
{
    CUP_OWNED cup_object *longest = cup_python_attribute(prefix, "max_exec_time");
    double longest_s = longest ? cup_python_number(longest) : -1;
    if (longest_s > 0)
        return 2 * longest_s;
    CUP_OWNED cup_object *otherwise = cup_python_attribute(scheduler, "UNKNOWN_TASK_DURATION");
    return otherwise ? cup_python_number(otherwise) : -1;
}

/* Negative: unknown. */
static double expected_duration(cup_object *scheduler, cup_object *prefixes, cup_object *name)
{
    CUP_OWNED cup_object *prefix = cup_python_get(prefixes, name);
    CUP_OWNED cup_object *average = cup_python_attribute(prefix, "duration_average");
    double duration_s = average ? cup_python_number(average) : -1;
    return average && duration_s < 0 ? guess_duration(scheduler, prefix) : duration_s;
}

/* Collects the names before durations are read: that may run Python code, which may change the dict
 * while it is iterated. */
static void collect_names(struct occupancy *occupancy, cup_object *counts)
{
    ssize_t at = 0;
    cup_object *name, *value;
    while (occupancy->count < PREFIXES && cup_py.PyDict_Next(counts, &at, &name, &value))
        occupancy->prefixes[occupancy->count++].name = cup_python_hold(name);
}

static void end_occupancy(struct occupancy *occupancy)
{
    for (int i = 0; i < occupancy->count; i++)
        cup_python_drop(occupancy->prefixes[i].name);
    occupancy->count = -1;
}

/* May run Python code (in versions of Dask where these attributes are properties). */
static void begin_occupancy(struct occupancy *occupancy, cup_object *scheduler)
{
    CUP_OWNED cup_object *counts = cup_python_attribute(scheduler, "_task_prefix_count_global");
    CUP_OWNED cup_object *prefixes = cup_python_attribute(scheduler, "task_prefixes");
    ssize_t size = counts && prefixes ? cup_py.PyDict_Size(counts) : -1;
    if (counts && prefixes && size < 0)
        cup_py.PyErr_Clear(); /* no dict at all */
    occupancy->count = 0;
    if (size > 0 && size <= PREFIXES)
        collect_names(occupancy, counts);
    for (int i = 0; i < occupancy->count; i++)
        occupancy->prefixes[i].duration_s =
            expected_duration(scheduler, prefixes, occupancy->prefixes[i].name);
    CUP_OWNED cup_object *bandwidth = cup_python_attribute(scheduler, "bandwidth");
    occupancy->bandwidth = bandwidth ? cup_python_number(bandwidth) : 0;
    if (size < 0 || size > PREFIXES || !(occupancy->bandwidth > 0))
        end_occupancy(occupancy);
}

static double expected_s(const struct occupancy *occupancy, cup_object *name)
{
    for (int i = 0; i < occupancy->count; i++)
        if (occupancy->prefixes[i].name == name)
            return occupancy->prefixes[i].duration_s;
    return -1;
}

/* Negative: one of the prefixes is unknown. Allocates no object, so the dict cannot change while it
 * is iterated. */
static double tasks_s(const struct occupancy *occupancy, cup_object *prefix_count)
{
    ssize_t at = 0;
    double sum = 0;
    cup_object *name, *count;
    ssize_t size = cup_py.PyDict_Size(prefix_count);
    if (size < 0)
        cup_py.PyErr_Clear();
    if (size <= 0) /* saves iterating over an idle worker's dict, which is in no CPU cache */
        return size < 0 ? -1 : 0;
    while (cup_py.PyDict_Next(prefix_count, &at, &name, &count)) {
        double each_s = expected_s(occupancy, name);
        if (each_s < 0 || cup_python_type(count) != cup_py.int_type)
            return -1;
        sum += each_s * cup_python_number(count);
    }
    return sum;
}

/* A worker's occupancy in nanoseconds; CUP_UNKNOWN64 if unknown. All three objects are borrowed
 * from the worker and may be NULL: its dict of tasks by prefix, the bytes that they still have to
 * receive, and the occupancy that Dask caches while it rebalances. Formula:
 * distributed/scheduler.py, SchedulerState._calc_occupancy. Runs no Python code. */
static uint64_t find_occupancy(const struct occupancy *occupancy, cup_object *prefix_count,
                               cup_object *network_bytes, cup_object *kept)
{
    uint64_t kept_ns = cup_sample_value(kept, CUP_SECONDS);
    uint64_t bytes = cup_sample_value(network_bytes, 1);
    if (kept_ns != CUP_UNKNOWN64 && kept_ns != 0) /* Dask treats a cached 0 as "not cached" */
        return kept_ns;
    if (occupancy->count < 0 || !prefix_count || bytes == CUP_UNKNOWN64)
        return CUP_UNKNOWN64;
    double seconds = tasks_s(occupancy, prefix_count);
    if (seconds < 0)
        return CUP_UNKNOWN64;
    return (uint64_t)((seconds + (double)bytes / occupancy->bandwidth) * CUP_SECONDS);
}

/* ---- workers ----------------------------------------------------------------------------- */

/* The attributes of Dask's WorkerState that a sample reads. All of them are __slots__. */
#define WORKER_STATE(X)                                                                            \
    X(ADDRESS, "address")                                                                          \
    X(NAME, "name")                                                                                \
    X(STATUS, "status")                                                                            \
    X(THREADS, "nthreads")                                                                         \
    X(MEMORY_LIMIT, "memory_limit")                                                                \
    X(PROCESSING, "processing")                                                                    \
    X(EXECUTING, "executing")                                                                      \
    X(LONG_RUNNING, "long_running")                                                                \
    X(HAS_WHAT, "_has_what")                                                                       \
    X(NBYTES, "nbytes")                                                                            \
    X(CACHED_OCCUPANCY, "_occupancy_cache")                                                        \
    X(PREFIX_COUNT, "task_prefix_count")                                                           \
    X(NETWORK, "_network_occ")                                                                     \
    X(LAST_SEEN, "last_seen")                                                                      \
    X(METRICS, "metrics")
enum {
#define X(NAME, name) NAME,
    WORKER_STATE(X)
#undef X
        ATTRIBUTES
};
static struct cup_slots slots = {.count = ATTRIBUTES,
                                 .names = {
#define X(NAME, name) name,
                                     WORKER_STATE(X)
#undef X
                                 }};

/* Values of WorkerState.metrics, the worker's last heartbeat. DICT is the key of the dict inside
 * metrics that holds NAME; NULL: metrics itself. SCALE converts to the unit of the log. */
static const struct {
    const char *dict, *name;
    enum cup_heartbeat_value value;
    double scale;
} metrics_fields[] = {
    {NULL, "memory", CUP_HV_RSS, 1},
    {NULL, "cpu", CUP_HV_CPU_NS_PER_S, CUP_SECONDS / 100}, /* in percent of a core */
    {NULL, "managed_bytes", CUP_HV_MANAGED_BYTES, 1},
    {NULL, "event_loop_interval", CUP_HV_LOOP_INTERVAL_NS, CUP_SECONDS},
    {NULL, "num_fds", CUP_HV_NUM_FDS, 1},
    {"spilled_bytes", "memory", CUP_HV_SPILLED_MEMORY_BYTES, 1},
    {"spilled_bytes", "disk", CUP_HV_SPILLED_DISK_BYTES, 1},
    {"transfer", "incoming_bytes", CUP_HV_INCOMING_BYTES, 1},
    {"transfer", "incoming_count", CUP_HV_INCOMING_COUNT, 1},
    {"transfer", "incoming_count_total", CUP_HV_INCOMING_TOTAL, 1},
    {"transfer", "outgoing_bytes", CUP_HV_OUTGOING_BYTES, 1},
    {"transfer", "outgoing_count", CUP_HV_OUTGOING_COUNT, 1},
    {"transfer", "outgoing_count_total", CUP_HV_OUTGOING_TOTAL, 1},
    {"bandwidth", "total", CUP_HV_BANDWIDTH_BPS, 1},
    {"host_net_io", "read_bps", CUP_HV_HOST_NET_READ_BPS, 1},
    {"host_net_io", "write_bps", CUP_HV_HOST_NET_WRITE_BPS, 1},
    {"host_disk_io", "read_bps", CUP_HV_HOST_DISK_READ_BPS, 1},
    {"host_disk_io", "write_bps", CUP_HV_HOST_DISK_WRITE_BPS, 1},
};

/* Dask lists only the states that some task is in: the others count 0, they are not unknown. */
static void fill_task_counts(uint64_t *heartbeat, cup_object *metrics)
{
    static const char *const states[] = {"executing", "long-running", "ready",  "constrained",
                                         "waiting",   "fetch",        "flight", "memory"};
    CUP_OWNED cup_object *counts = cup_python_item(metrics, "task_counts");
    for (int i = 0; counts && i < (int)(sizeof states / sizeof *states); i++) {
        uint64_t count = cup_sample_item(counts, states[i], 1);
        heartbeat[CUP_HV_TASKS_EXECUTING + i] = count == CUP_UNKNOWN64 ? 0 : count;
    }
}

static void fill_heartbeat(uint64_t *heartbeat, cup_object *metrics)
{
    const char *name = NULL; /* of DICT, which several rows share */
    cup_object *dict = NULL;
    for (size_t i = 0; i < sizeof metrics_fields / sizeof *metrics_fields; i++) {
        if (metrics_fields[i].dict != name) {
            cup_python_drop(dict);
            name = metrics_fields[i].dict;
            dict = cup_python_item(metrics, name);
        }
        heartbeat[metrics_fields[i].value] =
            cup_sample_item(name ? dict : metrics, metrics_fields[i].name, metrics_fields[i].scale);
    }
    cup_python_drop(dict);
    fill_task_counts(heartbeat, metrics);
}

/* The attributes of one worker: read from its slots when they are used, or, where the slots are not
 * as expected, fetched before. */
struct view {
    cup_object *worker;
    bool has_slots;                     /* as expected */
    cup_object *attributes[ATTRIBUTES]; /* references; only unless has_slots */
};

static void open_view(struct view *view, cup_object *worker)
{
    *view = (struct view){.worker = worker, .has_slots = cup_slots_suit(&slots, worker)};
    for (int i = 0; !view->has_slots && i < slots.count; i++)
        view->attributes[i] = cup_python_attribute(worker, slots.names[i]);
}

static void close_view(const struct view *view)
{
    for (int i = 0; !view->has_slots && i < slots.count; i++)
        cup_python_drop(view->attributes[i]);
}

/* Borrowed: valid until Python code runs. */
static cup_object *read_field(const struct view *view, int name)
{
    return view->has_slots ? cup_slots_peek(&slots, view->worker, name) : view->attributes[name];
}

/* Runs no Python code: reads slots and plain dicts only. */
static void fill_values(uint64_t *values, const struct view *view,
                        const struct occupancy *occupancy)
{
    values[CUP_WV_THREADS] = cup_sample_value(read_field(view, THREADS), 1);
    values[CUP_WV_MEMORY_LIMIT] = cup_sample_value(read_field(view, MEMORY_LIMIT), 1);
    values[CUP_WV_PROCESSING] = cup_sample_length(read_field(view, PROCESSING));
    values[CUP_WV_EXECUTING] = cup_sample_length(read_field(view, EXECUTING));
    values[CUP_WV_LONG_RUNNING] = cup_sample_length(read_field(view, LONG_RUNNING));
    values[CUP_WV_HAS] = cup_sample_length(read_field(view, HAS_WHAT));
    values[CUP_WV_NBYTES] = cup_sample_value(read_field(view, NBYTES), 1);
    values[CUP_WV_OCCUPANCY_NS] =
        find_occupancy(occupancy, read_field(view, PREFIX_COUNT), read_field(view, NETWORK),
                       read_field(view, CACHED_OCCUPANCY));
    values[CUP_WV_SEEN_NS] = cup_sample_value(read_field(view, LAST_SEEN), CUP_SECONDS);
    values[CUP_WV_STATUS] = cup_sample_status(read_field(view, STATUS));
}

static bool take_heartbeat(uint64_t *heartbeat, cup_object *metrics,
                           const struct cup_last_written *written)
{
    uint64_t time_ns = cup_sample_item(metrics, "time", CUP_SECONDS);
    if (time_ns == CUP_UNKNOWN64 ||
        (written->losses && time_ns == written->heartbeat[CUP_HV_TIME_NS]))
        return false;
    cup_sample_clear(heartbeat, CUP_HV_COUNT);
    heartbeat[CUP_HV_TIME_NS] = time_ns;
    fill_heartbeat(heartbeat, metrics);
    return true;
}

/* Fills in the worker's heartbeat; false if it is the one that the log has already. Dask sets
 * last_seen with every heartbeat: as long as that is the same there is no new one. */
static bool fill_new_heartbeat(uint64_t *heartbeat, const struct view *view,
                               const struct cup_last_written *written, const uint64_t *values)
{
    uint64_t seen_ns = values[CUP_WV_SEEN_NS];
    if (written->losses && seen_ns != CUP_UNKNOWN64 && seen_ns == written->values[CUP_WV_SEEN_NS])
        return false;
    CUP_OWNED cup_object *metrics = cup_python_hold(read_field(view, METRICS));
    return metrics && take_heartbeat(heartbeat, metrics, written);
}

static bool record_worker(struct cup_known_worker *known, const struct view *view,
                          const struct cup_rows *rows)
{
    CUP_OWNED cup_object *name = cup_python_hold(read_field(view, NAME));
    uint32_t address = cup_log_python_text(known->address);
    cup_sample_clear(known->written.heartbeat, CUP_HV_COUNT);
    return address &&
           cup_rows_add_worker(rows, &known->written, address, cup_log_python_text(name));
}

static void add_row(struct cup_rows_batch *batch, struct cup_known_worker *known,
                    const struct view *view, const struct occupancy *occupancy)
{
    uint64_t values[CUP_WV_COUNT], heartbeat[CUP_HV_COUNT];
    if (!known->written.worker && !record_worker(known, view, batch->rows))
        return;
    fill_values(values, view, occupancy);
    bool fresh = fill_new_heartbeat(heartbeat, view, &known->written, values);
    cup_rows_add(batch, &known->written, values, fresh ? heartbeat : NULL);
}

static struct {
    bool workers;             /* the scheduler has no dict of workers */
    bool missing[ATTRIBUTES]; /* workers have no such attribute */
} noted;                      /* in the log, once each */

/* A newer Dask may have renamed attributes. */
static void note_missing(const struct view *view)
{
    char text[128];
    for (int i = 0; i < slots.count; i++) {
        if (read_field(view, i) || noted.missing[i])
            continue;
        noted.missing[i] = true;
        snprintf(text, sizeof text, "samples are not complete: Dask's workers have no %s",
                 slots.names[i]);
        cup_log_note(text);
    }
}

static void sample_worker(struct cup_rows_batch *batch, cup_object *worker, size_t *next,
                          const struct occupancy *occupancy)
{
    struct view view;
    bool fresh = cup_slots_learn(&slots, worker);
    open_view(&view, worker);
    if (fresh)
        note_missing(&view);
    cup_object *address = read_field(&view, ADDRESS);
    struct cup_known_worker *known =
        address ? cup_known_worker_find(address, batch->rows->server, next) : NULL;
    if (known) {
        known->sample = batch->sample;
        add_row(batch, known, &view, occupancy);
    }
    close_view(&view);
}

/* Prefetches the workers that come next. The list is our own copy, so nothing changes it. */
static void prefetch_workers(cup_object *list, ssize_t i, ssize_t count)
{
    enum { NEAR = 3, FAR = 6 };
    if (i + FAR < count)
        cup_slots_fetch(&slots, cup_py.PyList_GetItem(list, i + FAR));
    if (i + NEAR < count)
        cup_slots_fetch_values(&slots, cup_py.PyList_GetItem(list, i + NEAR));
}

/* Returns how many workers the scheduler does not list any more. */
static int sample_workers(struct cup_rows_batch *batch, cup_object *list,
                          const struct occupancy *occupancy)
{
    size_t next = 0, at = 0;
    int gone = 0;
    ssize_t count = cup_py.PySequence_Size(list);
    for (ssize_t i = 0; i < count; i++) {
        prefetch_workers(list, i, count);
        sample_worker(batch, cup_py.PyList_GetItem(list, i), &next, occupancy);
    }
    for (struct cup_known_worker *known;
         (known = cup_known_worker_missing(batch->rows->server, batch->sample, &at)) != NULL;
         gone++)
        if (known->written.losses)
            cup_rows_add_gone(batch, &known->written);
    return gone;
}

/* A new list with references to the current workers; NULL if there is no such dict. */
static cup_object *list_workers(cup_object *scheduler)
{
    CUP_OWNED cup_object *workers = cup_python_attribute(scheduler, "workers");
    cup_object *list = workers ? cup_py.PyDict_Values(workers) : NULL;
    if (!list)
        cup_py.PyErr_Clear();
    return list;
}

static void fill_scheduler(uint64_t *values, cup_object *scheduler, cup_object *workers)
{
    if (workers)
        values[CUP_SV_WORKERS] = (uint64_t)cup_py.PySequence_Size(workers);
    values[CUP_SV_THREADS] = cup_sample_amount(scheduler, "total_nthreads", 1);
    values[CUP_SV_IDLE] = cup_sample_size(scheduler, "idle");
    values[CUP_SV_TASKS] = cup_sample_size(scheduler, "tasks");
    values[CUP_SV_QUEUED] = cup_sample_heap_size(scheduler, "queued");
    values[CUP_SV_UNRUNNABLE] = cup_sample_size(scheduler, "unrunnable");
}

static void take_sample(cup_object *scheduler, struct cup_sampling *sampling)
{
    uint64_t values[CUP_SV_COUNT];
    struct cup_rows_batch batch;
    struct occupancy occupancy;
    begin_occupancy(&occupancy, scheduler);
    CUP_OWNED cup_object *workers = list_workers(scheduler);
    cup_sample_clear(values, CUP_SV_COUNT);
    fill_scheduler(values, scheduler, workers);
    cup_sample_loop(values, scheduler, sampling);
    cup_sample_clock(values, 0);
    cup_rows_begin(&batch, &sampling->rows);
    if (!workers && !noted.workers) {
        noted.workers = true;
        cup_recording_drop_feature(CUP_FEATURE_SAMPLES, "samples hold no workers",
                                   "Dask's scheduler has no dict of that name");
    }
    int gone = workers ? sample_workers(&batch, workers, &occupancy) : 0;
    bool whole = cup_rows_end(&batch, sampling->now_ns, values);
    if (gone)
        cup_known_worker_drop_missing(sampling->rows.server, batch.sample, !whole);
    end_occupancy(&occupancy);
}

/* Reading an unusual object may run Python code, which may let another scheduler's thread in
 * here. */
static bool busy;

void cup_sample_scheduler(cup_object *scheduler, struct cup_sampling *sampling)
{
    if (busy) {
        cup_log_health(CUP_H_SAMPLES_MISSED, 1);
        return;
    }
    busy = true;
    take_sample(scheduler, sampling);
    cup_spans_of_scheduler(scheduler, sampling->rows.server);
    busy = false;
}

bool cup_sample_scheduler_evict(uint32_t id)
{
    if (!busy)
        cup_known_worker_drop_missing(id, UINT32_MAX, false); /* no sample has that number */
    return !busy;
}

void cup_sample_scheduler_reset(void)
{
    cup_known_worker_reset();
    busy = false;
    memset(&noted, 0, sizeof noted);
}

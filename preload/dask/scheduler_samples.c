#include "preload/dask/sample_servers.h"

#include "preload/dask/known_workers.h"
#include "preload/dask/occupancy.h"
#include "preload/dask/spans.h"
#include "preload/log/log.h"
#include "preload/process.h"
#include "preload/python/slots.h"

#include <stdio.h>
#include <string.h>

/* What is read of a WorkerState, all of it in slots. */
enum {
    ADDRESS,
    NAME,
    STATUS,
    THREADS,
    MEMORY_LIMIT,
    PROCESSING,
    EXECUTING,
    LONG_RUNNING,
    HAS_WHAT,
    NBYTES,
    KEPT_OCCUPANCY,
    PREFIX_COUNT,
    NETWORK,
    LAST_SEEN,
    METRICS
};
static struct cup_slots slots = {.count = METRICS + 1,
                                 .names = {"address", "name", "status", "nthreads", "memory_limit",
                                           "processing", "executing", "long_running", "_has_what",
                                           "nbytes", "_occupancy_cache", "task_prefix_count",
                                           "_network_occ", "last_seen", "metrics"}};

static void fill_transfers(uint64_t *heartbeat, cup_object *metrics)
{
    cup_object *transfer = cup_python_item(metrics, "transfer");
    if (transfer) {
        heartbeat[CUP_HV_INCOMING_BYTES] = cup_sample_item(transfer, "incoming_bytes", 1);
        heartbeat[CUP_HV_INCOMING_COUNT] = cup_sample_item(transfer, "incoming_count", 1);
        heartbeat[CUP_HV_INCOMING_TOTAL] = cup_sample_item(transfer, "incoming_count_total", 1);
        heartbeat[CUP_HV_OUTGOING_BYTES] = cup_sample_item(transfer, "outgoing_bytes", 1);
        heartbeat[CUP_HV_OUTGOING_COUNT] = cup_sample_item(transfer, "outgoing_count", 1);
        heartbeat[CUP_HV_OUTGOING_TOTAL] = cup_sample_item(transfer, "outgoing_count_total", 1);
    }
    cup_python_drop(transfer);
    cup_object *bandwidth = cup_python_item(metrics, "bandwidth");
    heartbeat[CUP_HV_BANDWIDTH_BPS] = cup_sample_item(bandwidth, "total", 1);
    cup_python_drop(bandwidth);
}

static void fill_host(uint64_t *heartbeat, cup_object *metrics)
{
    cup_object *net = cup_python_item(metrics, "host_net_io");
    heartbeat[CUP_HV_HOST_NET_READ_BPS] = cup_sample_item(net, "read_bps", 1);
    heartbeat[CUP_HV_HOST_NET_WRITE_BPS] = cup_sample_item(net, "write_bps", 1);
    cup_python_drop(net);
    cup_object *disk = cup_python_item(metrics, "host_disk_io");
    heartbeat[CUP_HV_HOST_DISK_READ_BPS] = cup_sample_item(disk, "read_bps", 1);
    heartbeat[CUP_HV_HOST_DISK_WRITE_BPS] = cup_sample_item(disk, "write_bps", 1);
    cup_python_drop(disk);
}

/* Dask counts only states that some task is in: the others are 0, not unknown. */
static void fill_task_counts(uint64_t *heartbeat, cup_object *metrics)
{
    static const char *const states[] = {"executing", "long-running", "ready",  "constrained",
                                         "waiting",   "fetch",        "flight", "memory"};
    cup_object *counts = cup_python_item(metrics, "task_counts");
    for (int i = 0; counts && i < (int)(sizeof states / sizeof *states); i++) {
        uint64_t count = cup_sample_item(counts, states[i], 1);
        heartbeat[CUP_HV_TASKS_EXECUTING + i] = count == CUP_UNKNOWN64 ? 0 : count;
    }
    cup_python_drop(counts);
}

static void fill_heartbeat(uint64_t *heartbeat, cup_object *metrics)
{
    const double percent = 1e7; /* of a core, in ns/s */
    heartbeat[CUP_HV_RSS] = cup_sample_item(metrics, "memory", 1);
    heartbeat[CUP_HV_CPU_NS_PER_S] = cup_sample_item(metrics, "cpu", percent);
    heartbeat[CUP_HV_MANAGED_BYTES] = cup_sample_item(metrics, "managed_bytes", 1);
    cup_object *spilled = cup_python_item(metrics, "spilled_bytes");
    heartbeat[CUP_HV_SPILLED_MEMORY_BYTES] = cup_sample_item(spilled, "memory", 1);
    heartbeat[CUP_HV_SPILLED_DISK_BYTES] = cup_sample_item(spilled, "disk", 1);
    cup_python_drop(spilled);
    heartbeat[CUP_HV_LOOP_INTERVAL_NS] =
        cup_sample_item(metrics, "event_loop_interval", CUP_SECONDS);
    heartbeat[CUP_HV_NUM_FDS] = cup_sample_item(metrics, "num_fds", 1);
    fill_transfers(heartbeat, metrics);
    fill_host(heartbeat, metrics);
    fill_task_counts(heartbeat, metrics);
}

/* A worker, whose slots are read as they are used, or else its attributes, taken beforehand. */
struct view {
    cup_object *worker;
    bool suits;
    cup_object *attributes[METRICS + 1]; /* references are held; unless it suits */
};

static void see(struct view *view, cup_object *worker)
{
    *view = (struct view){.worker = worker, .suits = cup_slots_suit(&slots, worker)};
    for (int i = 0; !view->suits && i < slots.count; i++)
        view->attributes[i] = cup_python_attribute(worker, slots.names[i]);
}

static void unsee(const struct view *view)
{
    for (int i = 0; !view->suits && i < slots.count; i++)
        cup_python_drop(view->attributes[i]);
}

/* Borrowed: good until Python code runs. */
static cup_object *field(const struct view *view, int name)
{
    return view->suits ? cup_slots_peek(&slots, view->worker, name) : view->attributes[name];
}

/* Only C code runs here: slots and dicts. */
static void fill_values(uint64_t *values, const struct view *view,
                        const struct cup_occupancy *occupancy)
{
    values[CUP_WV_THREADS] = cup_sample_value(field(view, THREADS), 1);
    values[CUP_WV_MEMORY_LIMIT] = cup_sample_value(field(view, MEMORY_LIMIT), 1);
    values[CUP_WV_PROCESSING] = cup_sample_length(field(view, PROCESSING));
    values[CUP_WV_EXECUTING] = cup_sample_length(field(view, EXECUTING));
    values[CUP_WV_LONG_RUNNING] = cup_sample_length(field(view, LONG_RUNNING));
    values[CUP_WV_HAS] = cup_sample_length(field(view, HAS_WHAT));
    values[CUP_WV_NBYTES] = cup_sample_value(field(view, NBYTES), 1);
    values[CUP_WV_OCCUPANCY_NS] = cup_occupancy_of(
        occupancy, field(view, PREFIX_COUNT), field(view, NETWORK), field(view, KEPT_OCCUPANCY));
    values[CUP_WV_SEEN_NS] = cup_sample_value(field(view, LAST_SEEN), CUP_SECONDS);
    values[CUP_WV_STATUS] = cup_sample_status(field(view, STATUS));
}

static bool take_heartbeat(uint64_t *heartbeat, cup_object *metrics,
                           const struct cup_last_written *told)
{
    uint64_t time_ns = cup_sample_item(metrics, "time", CUP_SECONDS);
    if (time_ns == CUP_UNKNOWN64 || (told->losses && time_ns == told->heartbeat[CUP_HV_TIME_NS]))
        return false;
    cup_sample_forget(heartbeat, CUP_HV_COUNT);
    heartbeat[CUP_HV_TIME_NS] = time_ns;
    fill_heartbeat(heartbeat, metrics);
    return true;
}

/* Fills in a heartbeat that is new; false for the one that was told. With every heartbeat Dask
 * notes when it came: where that did not change, there is nothing to look for. */
static bool fill_new_heartbeat(uint64_t *heartbeat, const struct view *view,
                               const struct cup_last_written *told, const uint64_t *values)
{
    uint64_t seen_ns = values[CUP_WV_SEEN_NS];
    if (told->losses && seen_ns != CUP_UNKNOWN64 && seen_ns == told->values[CUP_WV_SEEN_NS])
        return false;
    cup_object *metrics = field(view, METRICS);
    if (!metrics)
        return false;
    cup_py.Py_IncRef(metrics);
    bool fresh = take_heartbeat(heartbeat, metrics, told);
    cup_python_drop(metrics);
    return fresh;
}

static bool introduce(struct cup_known_worker *known, const struct view *view,
                      const struct cup_rows *rows)
{
    cup_object *name = field(view, NAME);
    if (name)
        cup_py.Py_IncRef(name);
    uint32_t address = cup_python_string(known->address);
    bool told = address && cup_rows_worker(rows, &known->told, address, cup_python_string(name));
    cup_python_drop(name);
    cup_sample_forget(known->told.heartbeat, CUP_HV_COUNT);
    return told;
}

static void tell(struct cup_rows_batch *batch, struct cup_known_worker *known,
                 const struct view *view, const struct cup_occupancy *occupancy)
{
    uint64_t values[CUP_WV_COUNT], heartbeat[CUP_HV_COUNT];
    if (!known->told.worker && !introduce(known, view, batch->rows))
        return;
    fill_values(values, view, occupancy);
    bool fresh = fill_new_heartbeat(heartbeat, view, &known->told, values);
    cup_rows_tell(batch, &known->told, values, fresh ? heartbeat : NULL);
}

static struct {
    bool workers;              /* that there are none */
    bool missing[METRICS + 1]; /* that workers have no such attribute */
} noted;

/* Said once each: what a newer Dask may have renamed. */
static void note_missing(const struct view *view)
{
    char text[128];
    for (int i = 0; i < slots.count; i++) {
        if (field(view, i) || noted.missing[i])
            continue;
        noted.missing[i] = true;
        snprintf(text, sizeof text, "samples are not complete: Dask's workers have no %s",
                 slots.names[i]);
        cup_log_note(text);
    }
}

static void sample_worker(struct cup_rows_batch *batch, cup_object *worker, size_t *next,
                          const struct cup_occupancy *occupancy)
{
    struct view view;
    bool fresh = cup_slots_learn(&slots, worker);
    see(&view, worker);
    if (fresh)
        note_missing(&view);
    cup_object *address = field(&view, ADDRESS);
    struct cup_known_worker *known =
        address ? cup_known_worker_find(address, batch->rows->server, next) : NULL;
    if (known) {
        known->sample = batch->sample;
        tell(batch, known, &view, occupancy);
    }
    unsee(&view);
}

/* The list is ours: nobody changes it. */
static void fetch(cup_object *list, ssize_t i, ssize_t count)
{
    enum { NEAR = 3, FAR = 6 };
    if (i + FAR < count)
        cup_slots_fetch(&slots, cup_py.PyList_GetItem(list, i + FAR));
    if (i + NEAR < count)
        cup_slots_fetch_values(&slots, cup_py.PyList_GetItem(list, i + NEAR));
}

/* Returns how many it has no more. */
static int sample_workers(struct cup_rows_batch *batch, cup_object *list,
                          const struct cup_occupancy *occupancy)
{
    size_t next = 0, at = 0;
    int gone = 0;
    ssize_t count = cup_py.PySequence_Size(list);
    for (ssize_t i = 0; i < count; i++) {
        fetch(list, i, count);
        sample_worker(batch, cup_py.PyList_GetItem(list, i), &next, occupancy);
    }
    for (struct cup_known_worker *known;
         (known = cup_known_worker_missing(batch->rows->server, batch->sample, &at)) != NULL;
         gone++)
        if (known->told.losses)
            cup_rows_gone(batch, &known->told);
    return gone;
}

/* The workers of this moment, with references: a list of its own. */
static cup_object *workers_of(cup_object *scheduler)
{
    cup_object *workers = cup_python_attribute(scheduler, "workers");
    cup_object *list = workers ? cup_py.PyDict_Values(workers) : NULL;
    if (!list)
        cup_py.PyErr_Clear();
    cup_python_drop(workers);
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
    struct cup_occupancy occupancy;
    cup_occupancy_begin(&occupancy, scheduler);
    cup_object *workers = workers_of(scheduler);
    cup_sample_forget(values, CUP_SV_COUNT);
    fill_scheduler(values, scheduler, workers);
    cup_sample_loop(values, scheduler, sampling);
    cup_sample_clock(values, 0);
    cup_rows_begin(&batch, &sampling->rows);
    if (!workers && !noted.workers) {
        noted.workers = true;
        cup_process_lacks(CUP_FEATURE_SAMPLES,
                          "samples hold no workers: Dask's scheduler has no dict of that name");
    }
    int gone = workers ? sample_workers(&batch, workers, &occupancy) : 0;
    bool whole = cup_rows_end(&batch, sampling->now_ns, values);
    if (gone)
        cup_known_worker_drop_missing(sampling->rows.server, batch.sample, !whole);
    cup_python_drop(workers);
    cup_occupancy_end(&occupancy);
}

static bool busy; /* an object that is no plain one may let another scheduler's thread run */

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

void cup_sample_scheduler_reset(void)
{
    cup_known_worker_reset();
    busy = false;
    memset(&noted, 0, sizeof noted);
}

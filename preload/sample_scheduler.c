#include "preload/sample_servers.h"

#include "preload/spans.h"

#include <string.h>

/* What was last told of a worker, found by its address object, to which a reference is held. A
 * worker that finds no place is told in full each time. */
enum { TOLD_BITS = 12, TOLD = 1 << TOLD_BITS, TOLD_NEXT = 8 };
struct told {
    cup_object *object;
    uint32_t address, name;
    uint64_t heartbeat_ns;
};
static struct told told[TOLD];
static bool told_any;

/* Its place, or one that may be taken; NULL for neither. */
static struct told *told_of(cup_object *address)
{
    size_t at = ((uintptr_t)address * UINT64_C(0x9e3779b97f4a7c15)) >> (64 - TOLD_BITS);
    for (int i = 0; i < TOLD_NEXT; i++) {
        struct told *each = &told[(at + (size_t)i) % TOLD];
        if (each->object == address || !each->object)
            return each;
    }
    return NULL;
}

static void remember(struct told *place, cup_object *object,
                     const struct cup_sampled_worker *worker, uint64_t heartbeat_ns)
{
    if (!place)
        return;
    if (!place->object)
        cup_py.Py_IncRef(object);
    told_any = true;
    *place = (struct told){object, worker->address, worker->name, heartbeat_ns};
}

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

/* Only C code runs here: slots and dicts. `occupancy` itself is a Python property; the cache behind
 * it is set while Dask rebalances, and is not known at other times. */
static void fill_values(uint64_t *values, cup_object *worker, int64_t now_ns)
{
    values[CUP_WV_THREADS] = cup_sample_amount(worker, "nthreads", 1);
    values[CUP_WV_MEMORY_LIMIT] = cup_sample_amount(worker, "memory_limit", 1);
    values[CUP_WV_PROCESSING] = cup_sample_size(worker, "processing");
    values[CUP_WV_EXECUTING] = cup_sample_size(worker, "executing");
    values[CUP_WV_LONG_RUNNING] = cup_sample_size(worker, "long_running");
    values[CUP_WV_HAS] = cup_sample_size(worker, "_has_what");
    values[CUP_WV_NBYTES] = cup_sample_amount(worker, "nbytes", 1);
    values[CUP_WV_OCCUPANCY_NS] = cup_sample_amount(worker, "_occupancy_cache", CUP_SECONDS);
    uint64_t seen_ns = cup_sample_amount(worker, "last_seen", CUP_SECONDS);
    if (seen_ns != CUP_UNKNOWN64)
        values[CUP_WV_UNSEEN_NS] = (uint64_t)now_ns > seen_ns ? (uint64_t)now_ns - seen_ns : 0;
}

static void sample_worker(uint32_t sample, cup_object *state_of_worker, int64_t now_ns)
{
    struct cup_sampled_worker worker;
    cup_object *address = cup_python_attribute(state_of_worker, "address");
    struct told *place = address ? told_of(address) : NULL;
    bool known = place && place->object;
    worker.address = known ? place->address : cup_python_string(address);
    if (!worker.address) { /* no worker of Dask's, or the table of strings is full */
        cup_python_drop(address);
        return;
    }
    worker.name = known ? place->name : cup_python_string_at(state_of_worker, "name");
    worker.status = cup_sample_status(state_of_worker, "status");
    cup_sample_forget(worker.values, CUP_WV_COUNT);
    cup_sample_forget(worker.heartbeat, CUP_HV_COUNT);
    fill_values(worker.values, state_of_worker, now_ns);
    cup_object *metrics = cup_python_attribute(state_of_worker, "metrics");
    uint64_t heartbeat_ns = cup_sample_item(metrics, "time", CUP_SECONDS);
    if (heartbeat_ns != CUP_UNKNOWN64 && !(known && heartbeat_ns == place->heartbeat_ns)) {
        worker.heartbeat[CUP_HV_TIME_NS] = heartbeat_ns;
        fill_heartbeat(worker.heartbeat, metrics);
    }
    cup_python_drop(metrics);
    if (cup_sample_write_worker(sample, &worker))
        remember(place, address, &worker, heartbeat_ns);
    cup_python_drop(address);
}

static void sample_workers(uint32_t sample, cup_object *list, int64_t now_ns)
{
    ssize_t count = cup_py.PySequence_Size(list);
    for (ssize_t i = 0; i < count; i++) {
        cup_object *worker = cup_py.PySequence_GetItem(list, i);
        if (worker)
            sample_worker(sample, worker, now_ns);
        cup_python_drop(worker);
    }
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

void cup_sample_scheduler(cup_object *scheduler, struct cup_sampling *sampling)
{
    uint64_t values[CUP_SV_COUNT];
    cup_sample_forget(values, CUP_SV_COUNT);
    cup_object *workers = workers_of(scheduler);
    if (workers)
        values[CUP_SV_WORKERS] = (uint64_t)cup_py.PySequence_Size(workers);
    values[CUP_SV_THREADS] = cup_sample_amount(scheduler, "total_nthreads", 1);
    values[CUP_SV_IDLE] = cup_sample_size(scheduler, "idle");
    values[CUP_SV_TASKS] = cup_sample_size(scheduler, "tasks");
    values[CUP_SV_QUEUED] = cup_sample_heap_size(scheduler, "queued");
    values[CUP_SV_UNRUNNABLE] = cup_sample_size(scheduler, "unrunnable");
    cup_sample_loop(values, scheduler, sampling);
    cup_sample_clock(values, 0);
    uint32_t sample = cup_sample_write(sampling, values);
    if (workers && sample)
        sample_workers(sample, workers, sampling->now_ns);
    cup_python_drop(workers);
    cup_spans_of_scheduler(scheduler, sampling->server);
}

void cup_sample_scheduler_reset(void)
{
    if (told_any) /* its pages need no copy otherwise */
        memset(told, 0, sizeof told);
    told_any = false;
}

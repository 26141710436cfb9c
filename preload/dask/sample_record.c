#include "preload/dask/sample_record.h"

#include "preload/dask/server_samples.h"
#include "preload/dask/server_slot.h"
#include "preload/log/log.h"
#include "preload/log/python_strings.h"
#include "preload/sys/clock.h"
#include "preload/task/task.h"

#include <string.h>
#include <time.h>

static bool slow_noted;

/* ---- values ------------------------------------------------------------------------------ */

void cup_sample_clear(uint64_t *values, int count)
{
    for (int i = 0; i < count; i++)
        values[i] = CUP_UNKNOWN64;
}

/* An int or a float is converted without running Python code, so it needs no reference of its own.
 * Taking one would write to an object that is usually in no CPU cache. */
uint64_t cup_sample_value(cup_object *value, double scale)
{
    cup_object *type = value ? cup_python_type(value) : NULL;
    if (!type || type == cup_py.int_type || type == cup_py.float_type)
        return cup_python_amount(value, scale);
    CUP_OWNED cup_object *held = cup_python_hold(value);
    return cup_python_amount(held, scale);
}

static uint64_t convert_and_drop(cup_object *value, double scale)
{
    CUP_OWNED cup_object *owned = value;
    return cup_python_amount(owned, scale);
}

uint64_t cup_sample_amount(cup_object *object, const char *name, double scale)
{
    return convert_and_drop(cup_python_attribute(object, name), scale);
}

uint64_t cup_sample_item(cup_object *dict, const char *name, double scale)
{
    cup_object *key = dict ? cup_python_name(name) : NULL;
    if (!key)
        return CUP_UNKNOWN64;
    if (cup_python_type(dict) != cup_py.dict_type)
        return convert_and_drop(cup_python_item(dict, name), scale);
    cup_object *value = cup_py.PyDict_GetItemWithError(dict, key);
    if (!value && cup_py.PyErr_Occurred())
        cup_py.PyErr_Clear();
    return cup_sample_value(value, scale);
}

static uint64_t read_length(cup_object *value)
{
    ssize_t size = value ? cup_py.PyObject_Size(value) : 0;
    if (size < 0)
        cup_py.PyErr_Clear();
    return value && size >= 0 ? (uint64_t)size : CUP_UNKNOWN64;
}

uint64_t cup_sample_length(cup_object *value)
{
    cup_object *type = value ? cup_python_type(value) : NULL;
    if (!type || type == cup_py.dict_type || type == cup_py.set_type)
        return read_length(value);
    CUP_OWNED cup_object *held = cup_python_hold(value);
    return read_length(held);
}

uint64_t cup_sample_size(cup_object *object, const char *name)
{
    CUP_OWNED cup_object *value = cup_python_attribute(object, name);
    return read_length(value);
}

/* Dask's HeapSet implements __len__ in Python; its dict _data has the same length. */
uint64_t cup_sample_heap_size(cup_object *object, const char *name)
{
    CUP_OWNED cup_object *heap = cup_python_attribute(object, name);
    return cup_sample_size(heap, "_data");
}

/* ---- the server -------------------------------------------------------------------------- */

/* The members of the enum that have been seen. It has few, and they are never freed. */
enum { STATUSES = 16 };
static struct {
    cup_object *member; /* a reference is held */
    uint32_t number;    /* its STATUS record; 0: none yet */
} statuses[STATUSES];
static uint32_t status_count; /* STATUS records */

/* Writes a STATUS record and returns its number; 0: the log is full. */
static uint32_t write_status(cup_object *status)
{
    const struct cup_r_status record = {.status = status_count + 1,
                                        .name = cup_log_python_attribute(status, "_name_")};
    return record.name && cup_log_write(CUP_R_STATUS, &record, NULL, 0) ? ++status_count : 0;
}

static uint32_t status_number(cup_object *status)
{
    int i = 0;
    while (i < STATUSES && statuses[i].member && statuses[i].member != status)
        i++;
    if (i == STATUSES)
        return 0;
    if (!statuses[i].member)
        statuses[i].member = cup_python_hold(status);
    if (!statuses[i].number)
        statuses[i].number = write_status(status);
    return statuses[i].number;
}

uint64_t cup_sample_status(cup_object *status)
{
    uint32_t number = status ? status_number(status) : 0;
    return number ? number : CUP_UNKNOWN64;
}

/* Adds a note to the log, once, if Dask ticks less often than samples are wanted. */
static void note_slow_tick(uint64_t tick_ns)
{
    if (slow_noted || tick_ns == CUP_UNKNOWN64 || tick_ns <= (uint64_t)cup_samples_interval_ns)
        return;
    slow_noted = true;
    cup_log_note("fewer samples than CUPPING_INTERVAL asks for: Dask's tick takes them "
                 "(distributed.admin.tick.interval), and its interval is longer");
}

void cup_sample_loop(uint64_t *values, cup_object *server, const struct cup_sampling *sampling)
{
    values[CUP_SV_LOOP_INTERVAL_NS] =
        cup_sample_amount(server, "_tick_interval_observed", CUP_SECONDS);
    values[CUP_SV_TICK_NS] = cup_sample_amount(server, "_tick_interval", CUP_SECONDS);
    values[CUP_SV_LOOP_LONGEST_NS] =
        sampling->longest_ns ? (uint64_t)sampling->longest_ns : CUP_UNKNOWN64;
    values[CUP_SV_TOOK_NS] = sampling->took_ns;
    values[CUP_SV_MISSED] = sampling->missed;
    values[CUP_SV_INTERVAL_NS] = (uint64_t)cup_samples_interval_ns;
    note_slow_tick(values[CUP_SV_TICK_NS]);
}

/* How far the program's clock is ahead of the real one. A library before this one in LD_PRELOAD may
 * show the program another time (libfaketime): Dask's times are then by that clock, ours are
 * not. */
static double seconds_ahead(void)
{
    struct timespec shown = {0, 0};
    if (clock_gettime(CLOCK_REALTIME, &shown) != 0)
        return 0;
    int64_t shown_ns = (int64_t)shown.tv_sec * 1000000000 + shown.tv_nsec;
    return (double)(shown_ns - cup_clock_realtime_ns()) / CUP_SECONDS;
}

void cup_sample_clock(uint64_t *values, double delay_s)
{
    const double most_s = 1e9; /* 30 years: not a clock difference */
    double behind_s = delay_s + seconds_ahead();
    if (behind_s >= 0 && behind_s < most_s)
        values[CUP_SV_BEHIND_NS] = (uint64_t)(behind_s * CUP_SECONDS);
    else if (behind_s < 0 && behind_s > -most_s)
        values[CUP_SV_AHEAD_NS] = (uint64_t)(-behind_s * CUP_SECONDS);
}

/* ---- a worker, as it sees itself --------------------------------------------------------- */

/* CPU time of this process since its sample before, in ns per second; CUP_UNKNOWN64 at the
 * first. */
static uint64_t cpu_per_second(struct cup_sampling *sampling)
{
    uint64_t cpu_ns = cup_clock_process_cpu_ns();
    double used = (double)(cpu_ns - sampling->cpu_ns),
           over = (double)(sampling->now_ns - sampling->cpu_at_ns);
    uint64_t rate =
        sampling->cpu_at_ns && over > 0 ? (uint64_t)(used / over * CUP_SECONDS) : CUP_UNKNOWN64;
    sampling->cpu_ns = cpu_ns;
    sampling->cpu_at_ns = sampling->now_ns;
    return rate;
}

/* What a worker would send to its scheduler, read from the worker itself. */
struct own {
    uint64_t values[CUP_WV_COUNT];
    uint64_t heartbeat[CUP_HV_COUNT];
};

static struct cup_last_written written[CUP_SERVERS]; /* by cup_server_slot() */
static bool any_written;

static void fill_own_state(struct own *worker, cup_object *server)
{
    uint64_t *values = worker->values, *heartbeat = worker->heartbeat;
    CUP_OWNED cup_object *own = cup_python_attribute(server, "state");
    CUP_OWNED cup_object *memory = cup_python_attribute(server, "memory_manager");
    values[CUP_WV_THREADS] = cup_sample_amount(own, "nthreads", 1);
    values[CUP_WV_EXECUTING] = cup_sample_size(own, "executing");
    values[CUP_WV_LONG_RUNNING] = cup_sample_size(own, "long_running");
    values[CUP_WV_NBYTES] = cup_sample_amount(own, "nbytes", 1);
    heartbeat[CUP_HV_TASKS_EXECUTING] = values[CUP_WV_EXECUTING];
    heartbeat[CUP_HV_TASKS_LONG_RUNNING] = values[CUP_WV_LONG_RUNNING];
    heartbeat[CUP_HV_TASKS_READY] = cup_sample_heap_size(own, "ready");
    heartbeat[CUP_HV_TASKS_CONSTRAINED] = cup_sample_heap_size(own, "constrained");
    heartbeat[CUP_HV_MANAGED_BYTES] = values[CUP_WV_NBYTES];
    heartbeat[CUP_HV_INCOMING_BYTES] = cup_sample_amount(own, "transfer_incoming_bytes", 1);
    heartbeat[CUP_HV_INCOMING_COUNT] = cup_sample_amount(own, "transfer_incoming_count", 1);
    heartbeat[CUP_HV_INCOMING_TOTAL] = cup_sample_amount(own, "transfer_incoming_count_total", 1);
    uint64_t limit = cup_sample_amount(memory, "memory_limit", 1);
    values[CUP_WV_MEMORY_LIMIT] = limit ? limit : CUP_UNKNOWN64;
}

static void fill_own_server(struct own *worker, cup_object *server)
{
    uint64_t *heartbeat = worker->heartbeat;
    heartbeat[CUP_HV_OUTGOING_BYTES] = cup_sample_amount(server, "transfer_outgoing_bytes", 1);
    heartbeat[CUP_HV_OUTGOING_COUNT] = cup_sample_amount(server, "transfer_outgoing_count", 1);
    heartbeat[CUP_HV_OUTGOING_TOTAL] =
        cup_sample_amount(server, "transfer_outgoing_count_total", 1);
    heartbeat[CUP_HV_BANDWIDTH_BPS] = cup_sample_amount(server, "bandwidth", 1);
    CUP_OWNED cup_object *status = cup_python_attribute(server, "_status");
    worker->values[CUP_WV_STATUS] = cup_sample_status(status);
}

static bool record_worker(cup_object *server, const struct cup_rows *rows,
                          struct cup_last_written *own)
{
    uint32_t address = cup_log_python_attribute(server, "_address");
    any_written = true;
    return address &&
           cup_rows_add_worker(rows, own, address, cup_log_python_attribute(server, "name"));
}

static void fill_own(struct own *worker, cup_object *server, struct cup_sampling *sampling)
{
    cup_sample_clear(worker->values, CUP_WV_COUNT);
    cup_sample_clear(worker->heartbeat, CUP_HV_COUNT);
    fill_own_state(worker, server);
    fill_own_server(worker, server);
    worker->heartbeat[CUP_HV_TIME_NS] = (uint64_t)sampling->now_ns;
    worker->heartbeat[CUP_HV_RSS] = cup_task_rss();
    worker->heartbeat[CUP_HV_CPU_NS_PER_S] = cpu_per_second(sampling);
}

/* Worker.scheduler_delay: seconds that Dask adds to the worker's clock to get the scheduler's. Dask
 * measures it with each heartbeat; it is exactly 0 before the first one. */
static void fill_clock(uint64_t *values, cup_object *server)
{
    CUP_OWNED cup_object *delay = cup_python_attribute(server, "scheduler_delay");
    double seconds = delay ? cup_py.PyFloat_AsDouble(delay) : 0;
    if (seconds == -1 && cup_py.PyErr_Occurred())
        cup_py.PyErr_Clear();
    else if (seconds != 0)
        cup_sample_clock(values, seconds);
}

void cup_sample_worker(cup_object *server, struct cup_sampling *sampling)
{
    uint64_t values[CUP_SV_COUNT];
    struct own worker;
    struct cup_rows_batch batch;
    struct cup_last_written *own = &written[cup_server_slot(sampling->rows.server)];
    cup_sample_clear(values, CUP_SV_COUNT);
    cup_sample_loop(values, server, sampling);
    fill_clock(values, server);
    fill_own(&worker, server, sampling);
    worker.heartbeat[CUP_HV_LOOP_INTERVAL_NS] = values[CUP_SV_LOOP_INTERVAL_NS];
    cup_rows_begin(&batch, &sampling->rows);
    if (own->worker || record_worker(server, &sampling->rows, own))
        cup_rows_add(&batch, own, worker.values, worker.heartbeat);
    cup_rows_end(&batch, sampling->now_ns, values);
}

void cup_sample_worker_evict(uint32_t id)
{
    written[cup_server_slot(id)] = (struct cup_last_written){.worker = 0};
}

void cup_sample_record_reset(void)
{
    slow_noted = false;
    status_count = 0;
    memset(statuses, 0,
           sizeof statuses); /* the child may not hold the GIL: no reference is dropped */
    if (any_written)         /* writing to untouched pages would copy them in every forked child */
        memset(written, 0, sizeof written);
    any_written = false;
}

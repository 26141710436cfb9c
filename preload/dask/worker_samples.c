#include "preload/dask/sample_servers.h"

#include "preload/dask/server_samples.h"
#include "preload/log/python_strings.h"
#include "preload/sys/clock.h"
#include "preload/task/task.h"

#include <string.h>

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

static struct cup_last_written written[CUP_SAMPLES_SERVERS]; /* by server - 1 */
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
    struct cup_last_written *own = &written[sampling->rows.server - 1];
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

void cup_sample_worker_reset(void)
{
    if (any_written) /* writing to untouched pages would copy them in every forked child */
        memset(written, 0, sizeof written);
    any_written = false;
}

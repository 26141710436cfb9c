/* CPU time, waits and Dask's own activities: the processor against the rest. */
#include "analysis/metrics/formulas.h"

/* ---- waits of all tasks, and of helpers ------------------------------------------------- */

#define X(id, name, label, text, needs, source)                                                    \
    static struct cup_value wait_##id(T t)                                                         \
    {                                                                                              \
        return t->waits.tasks ? cup_of_ns(t->waits.ns[CUP_WAITED_##id]) : cup_null();              \
    }
CUP_WAITS(X)
#undef X

#define X(id)                                                                                      \
    static struct cup_value helper_##id(T t)                                                       \
    {                                                                                              \
        return cup_of_ns(t->helper_waits.ns[CUP_WAITED_##id]);                                     \
    }
X(IO)
X(GIL)
X(LOCK)
X(SLEEP)
X(POLL)
X(RUN_DELAY)
#undef X

/* ---- fine: the processor against the rest ----------------------------------------------- */

/* Sum over the prefixes that are the processor, or over the others. */
static struct cup_task_sums sums_where(T t, bool processor)
{
    struct cup_task_sums sum = {0};
    for (uint32_t i = 0; i < t->profile->prefix_count; i++) {
        if (cup_prefix_is_processor(t, i) != processor)
            continue;
        sum.tasks += t->prefixes[i].tasks;
        sum.with_cpu_ns += t->prefixes[i].with_cpu_ns;
        sum.cpu_ns += t->prefixes[i].cpu_ns;
    }
    return sum;
}

static struct cup_value cpu_of(T t, bool processor)
{
    struct cup_task_sums sum = sums_where(t, processor);
    return cup_ended_with_cpu(t) && sum.tasks ? cup_of_ns(sum.cpu_ns) : cup_null();
}

static struct cup_value noncpu_of(T t, bool processor)
{
    struct cup_task_sums sum = sums_where(t, processor);
    return cup_ended_with_cpu(t) && sum.tasks ? cup_seconds((int64_t)(sum.with_cpu_ns - sum.cpu_ns))
                                              : cup_null();
}

static struct cup_value processor_cpu(T t)
{
    return cpu_of(t, true);
}

struct cup_value cup_processor_noncpu(T t)
{
    return noncpu_of(t, true);
}

static struct cup_value overhead_cpu(T t)
{
    return cpu_of(t, false);
}

static struct cup_value overhead_noncpu(T t)
{
    return noncpu_of(t, false);
}

static struct cup_value processor_cpu_percentage(T t)
{
    struct cup_task_sums sum = sums_where(t, true);
    return cup_ended_with_cpu(t) ? cup_ratio(100.0 * (double)sum.cpu_ns, (double)sum.with_cpu_ns)
                                 : cup_null();
}

static struct cup_value processor_noncpu_percentage(T t)
{
    double cpu = cup_number(processor_cpu_percentage(t));
    return cup_real(100 - cpu);
}

/* ---- Dask's own ------------------------------------------------------------------------- */

#define X(id, name, activity, unit)                                                                \
    static struct cup_value dask_##id(T t)                                                         \
    {                                                                                              \
        return cup_fine_of(&t->fine, t->profile, &t->fine.all, CUP_FINE_##id);                     \
    }
CUP_FINE_ACTIVITIES(X)
#undef X

static struct cup_value of_tasks(T t, enum cup_fine_activity activity)
{
    return cup_fine_of_tasks(&t->fine, &t->fine.all, activity);
}

#define X(name, id)                                                                                \
    static struct cup_value name(T t)                                                              \
    {                                                                                              \
        return of_tasks(t, CUP_FINE_##id);                                                         \
    }
X(cpu_time_seconds, THREAD_CPU)
X(io_time_seconds, THREAD_NONCPU)
X(disk_read_bytes_tasks, DISK_READ)
X(disk_write_bytes_tasks, DISK_WRITE)
X(compression_time_seconds, COMPRESS)
X(decompression_time_seconds, DECOMPRESS)
X(serialization_time_seconds, SERIALIZE)
X(deserialization_time_seconds, DESERIALIZE)
#undef X

static struct cup_value sum_of(struct cup_value a, struct cup_value b)
{
    return cup_real(cup_number(a) + cup_number(b));
}

static struct cup_value total_compression_overhead(T t)
{
    return sum_of(compression_time_seconds(t), decompression_time_seconds(t));
}

static struct cup_value total_serialization_overhead(T t)
{
    return sum_of(serialization_time_seconds(t), deserialization_time_seconds(t));
}

/* Not known where no chunk was seen: nothing tells which prefix is the processor. */
static struct cup_value dask_of(T t, const struct cup_fine_sums *sums,
                                enum cup_fine_activity activity)
{
    return t->fine.processor.digests ? cup_fine_of_tasks(&t->fine, sums, activity) : cup_null();
}

static struct cup_value processor_cpu_dask(T t)
{
    return dask_of(t, &t->fine.processor, CUP_FINE_THREAD_CPU);
}

static struct cup_value processor_noncpu_dask(T t)
{
    return dask_of(t, &t->fine.processor, CUP_FINE_THREAD_NONCPU);
}

static struct cup_value overhead_cpu_dask(T t)
{
    return dask_of(t, &t->fine.overhead, CUP_FINE_THREAD_CPU);
}

static struct cup_value overhead_noncpu_dask(T t)
{
    return dask_of(t, &t->fine.overhead, CUP_FINE_THREAD_NONCPU);
}

static struct cup_value processor_cpu_percentage_dask(T t)
{
    double cpu = cup_number(processor_cpu_dask(t)), noncpu = cup_number(processor_noncpu_dask(t));
    return cup_ratio(100 * cpu, cpu + noncpu);
}

static struct cup_value processor_noncpu_percentage_dask(T t)
{
    return cup_real(100 - cup_number(processor_cpu_percentage_dask(t)));
}

static struct cup_value workers_told(T t)
{
    return cup_count(t->fine.worker_count);
}

static struct cup_value workers_silent(T t)
{
    return cup_count(t->fine.silent_workers);
}

static struct cup_value workers_incomplete(T t)
{
    return cup_count(t->fine.incomplete_workers);
}

static struct cup_value behind_s(T t)
{
    return t->fine.worker_count ? cup_seconds(t->fine.behind_ns) : cup_null();
}

/* ---- the table -------------------------------------------------------------------------- */

#define SINCE "digests_total of all workers, each since it began: "
#define DASK_D "D: " SINCE
#define TASKS_D "D: " SINCE "what is of a span, as in roastcoffea: "
#define NOT_TOLD                                                                                   \
    "no worker told Dask's fine metrics (CUPPING_INTERVAL=0, no Dask, or killed at once); or a "   \
    "part of the tasks was asked for (--run, --span), and Dask's sums, made since a worker "       \
    "began, can be split by span only: what belongs to no span cannot, nor a span that other "     \
    "tasks share"
#define NO_PROCESSOR NOT_TOLD "; or no prefix of theirs carried chunks"
#define HELPER_P "P: threads that helped tasks, by the same ways as bytes"
#define WAITS CUP_FEATURE_WAITS

/* clang-format off */
static const struct cup_metric metrics[] = {
    {"thread_cpu_s", NULL, CUP_UNIT_SECONDS, dask_THREAD_CPU, DASK_D "time of tasks on the thread's CPU clock", 0, NOT_TOLD},
    {"thread_noncpu_s", NULL, CUP_UNIT_SECONDS, dask_THREAD_NONCPU, DASK_D "the rest of the time of tasks on their threads", 0, NOT_TOLD},
    {"disk_read_bytes", NULL, CUP_UNIT_BYTES, dask_DISK_READ, DASK_D "spilled data read back, for tasks and for transfers", 0, NOT_TOLD},
    {"disk_write_bytes", NULL, CUP_UNIT_BYTES, dask_DISK_WRITE, DASK_D "data spilled, by tasks, transfers and the memory monitor", 0, NOT_TOLD},
    {"memory_read_bytes", NULL, CUP_UNIT_BYTES, dask_MEMORY_READ, DASK_D "inputs of tasks that were in the worker's memory", 0, NOT_TOLD},
    {"memory_read_count", NULL, CUP_UNIT_COUNT, dask_MEMORY_READS, DASK_D "likewise, their number", 0, NOT_TOLD},
    {"compress_s", NULL, CUP_UNIT_SECONDS, dask_COMPRESS, DASK_D "for transfers and spilling, not of ROOT baskets", 0, NOT_TOLD},
    {"decompress_s", NULL, CUP_UNIT_SECONDS, dask_DECOMPRESS, DASK_D "likewise", 0, NOT_TOLD},
    {"serialize_s", NULL, CUP_UNIT_SECONDS, dask_SERIALIZE, DASK_D "of results that were sent or spilled", 0, NOT_TOLD},
    {"deserialize_s", NULL, CUP_UNIT_SECONDS, dask_DESERIALIZE, DASK_D "of tasks and of what was received or read back", 0, NOT_TOLD},
    {"network_s", NULL, CUP_UNIT_SECONDS, dask_NETWORK, DASK_D "waits for transfers between workers, and to clients", 0, NOT_TOLD},
    {"executor_s", NULL, CUP_UNIT_SECONDS, dask_EXECUTOR, DASK_D "between the event loop and the task's thread", 0, NOT_TOLD},
    {"other_s", NULL, CUP_UNIT_SECONDS, dask_OTHER, DASK_D "what Dask has no name for", 0, NOT_TOLD},
    {"disk_read_bytes_tasks", NULL, CUP_UNIT_BYTES, disk_read_bytes_tasks, TASKS_D "disk-read (its disk_read_bytes)", 0, NOT_TOLD},
    {"disk_write_bytes_tasks", NULL, CUP_UNIT_BYTES, disk_write_bytes_tasks, TASKS_D "disk-write (its disk_write_bytes)", 0, NOT_TOLD},
    {"cpu_time_seconds", NULL, CUP_UNIT_SECONDS, cpu_time_seconds, TASKS_D "thread-cpu", 0, NOT_TOLD},
    {"io_time_seconds", NULL, CUP_UNIT_SECONDS, io_time_seconds, TASKS_D "thread-noncpu", 0, NOT_TOLD},
    {"compression_time_seconds", NULL, CUP_UNIT_SECONDS, compression_time_seconds, TASKS_D "compress", 0, NOT_TOLD},
    {"decompression_time_seconds", NULL, CUP_UNIT_SECONDS, decompression_time_seconds, TASKS_D "decompress", 0, NOT_TOLD},
    {"serialization_time_seconds", NULL, CUP_UNIT_SECONDS, serialization_time_seconds, TASKS_D "serialize", 0, NOT_TOLD},
    {"deserialization_time_seconds", NULL, CUP_UNIT_SECONDS, deserialization_time_seconds, TASKS_D "deserialize", 0, NOT_TOLD},
    {"basket_decompress_cpu_s", NULL, CUP_UNIT_SECONDS, NULL, "stacks are not taken by this version", 0, NULL},
    {"processor_cpu_time_seconds", NULL, CUP_UNIT_SECONDS, processor_cpu, "P: tasks of the prefixes that carried chunks", 0, NULL},
    {"processor_noncpu_time_seconds", NULL, CUP_UNIT_SECONDS, cup_processor_noncpu, "P: likewise", 0, NULL},
    {"processor_cpu_percentage", NULL, CUP_UNIT_PERCENT, processor_cpu_percentage, "P: of the time of these tasks", 0, NULL},
    {"processor_noncpu_percentage", NULL, CUP_UNIT_PERCENT, processor_noncpu_percentage, "P: likewise", 0, NULL},
    {"overhead_cpu_time_seconds", NULL, CUP_UNIT_SECONDS, overhead_cpu, "P: tasks of all other prefixes", 0, NULL},
    {"overhead_noncpu_time_seconds", NULL, CUP_UNIT_SECONDS, overhead_noncpu, "P: likewise", 0, NULL},
    {"processor_cpu_time_seconds_dask", NULL, CUP_UNIT_SECONDS, processor_cpu_dask, TASKS_D "thread-cpu of the prefixes that carried chunks", 0, NO_PROCESSOR},
    {"processor_noncpu_time_seconds_dask", NULL, CUP_UNIT_SECONDS, processor_noncpu_dask, TASKS_D "thread-noncpu, likewise", 0, NO_PROCESSOR},
    {"processor_cpu_percentage_dask", NULL, CUP_UNIT_PERCENT, processor_cpu_percentage_dask, TASKS_D "of the sum of both", 0, NO_PROCESSOR},
    {"processor_noncpu_percentage_dask", NULL, CUP_UNIT_PERCENT, processor_noncpu_percentage_dask, TASKS_D "likewise", 0, NO_PROCESSOR},
    {"overhead_cpu_time_seconds_dask", NULL, CUP_UNIT_SECONDS, overhead_cpu_dask, TASKS_D "thread-cpu of all other prefixes", 0, NO_PROCESSOR},
    {"overhead_noncpu_time_seconds_dask", NULL, CUP_UNIT_SECONDS, overhead_noncpu_dask, TASKS_D "thread-noncpu, likewise", 0, NO_PROCESSOR},
    {"total_compression_overhead_seconds", NULL, CUP_UNIT_SECONDS, total_compression_overhead, TASKS_D "compress and decompress", 0, NOT_TOLD},
    {"total_serialization_overhead_seconds", NULL, CUP_UNIT_SECONDS, total_serialization_overhead, TASKS_D "serialize and deserialize", 0, NOT_TOLD},
    {"workers_told", NULL, CUP_UNIT_COUNT, workers_told, "D: workers that told fine metrics", 0, NULL},
    {"workers_silent", NULL, CUP_UNIT_COUNT, workers_silent, "P: Dask workers that told none", 0, NULL},
    {"workers_incomplete", NULL, CUP_UNIT_COUNT, workers_incomplete, "D: workers whose last values are not those of their end: killed, or still running", 0, NULL},
    {"behind_s", NULL, CUP_UNIT_SECONDS, behind_s, "P: from the last look at such a worker's values to the last sign of its process; of the one where that is longest", 0, NOT_TOLD},
#define X(id, name, label, text, needs, source) {name, NULL, CUP_UNIT_SECONDS, wait_##id, "P: of all tasks: " source, needs, NULL},
    CUP_WAITS(X)
#undef X
    {"helper_io_wait_s", NULL, CUP_UNIT_SECONDS, helper_IO, HELPER_P, WAITS, NULL},
    {"helper_gil_wait_s", NULL, CUP_UNIT_SECONDS, helper_GIL, HELPER_P, WAITS | CUP_FEATURE_GIL, NULL},
    {"helper_lock_wait_s", NULL, CUP_UNIT_SECONDS, helper_LOCK, HELPER_P, WAITS, NULL},
    {"helper_sleep_s", NULL, CUP_UNIT_SECONDS, helper_SLEEP, HELPER_P, WAITS, NULL},
    {"helper_poll_wait_s", NULL, CUP_UNIT_SECONDS, helper_POLL, HELPER_P, WAITS, NULL},
    {"helper_run_delay_s", NULL, CUP_UNIT_SECONDS, helper_RUN_DELAY, HELPER_P "; only where a wait ended so", WAITS | CUP_FEATURE_RUN_DELAY, NULL},
    {"helper_fault_wait_s", NULL, CUP_UNIT_SECONDS, NULL, CUP_NO_HELPER_REST, 0, NULL},
    {"helper_other_wait_s", NULL, CUP_UNIT_SECONDS, NULL, CUP_NO_HELPER_REST, 0, NULL},
};
/* clang-format on */

const struct cup_metric_section cup_fine_metrics = {"fine", metrics,
                                                    sizeof metrics / sizeof *metrics};

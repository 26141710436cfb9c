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

static struct cup_value processor_noncpu(T t)
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

/* ---- the table -------------------------------------------------------------------------- */

#define NO_D "Dask's own figures are not read by this version"
#define HELPER_P "P: threads that helped tasks, by the same ways as bytes"
#define WAITS CUP_FEATURE_WAITS

/* clang-format off */
static const struct cup_metric metrics[] = {
    {"thread_cpu_s", NULL, CUP_UNIT_SECONDS, NULL, NO_D, 0, NULL},
    {"thread_noncpu_s", NULL, CUP_UNIT_SECONDS, NULL, NO_D, 0, NULL},
    {"disk_read_bytes", NULL, CUP_UNIT_BYTES, NULL, NO_D, 0, NULL},
    {"disk_write_bytes", NULL, CUP_UNIT_BYTES, NULL, NO_D, 0, NULL},
    {"memory_read_bytes", NULL, CUP_UNIT_BYTES, NULL, NO_D, 0, NULL},
    {"memory_read_count", NULL, CUP_UNIT_COUNT, NULL, NO_D, 0, NULL},
    {"compress_s", NULL, CUP_UNIT_SECONDS, NULL, NO_D, 0, NULL},
    {"decompress_s", NULL, CUP_UNIT_SECONDS, NULL, NO_D, 0, NULL},
    {"serialize_s", NULL, CUP_UNIT_SECONDS, NULL, NO_D, 0, NULL},
    {"deserialize_s", NULL, CUP_UNIT_SECONDS, NULL, NO_D, 0, NULL},
    {"network_s", NULL, CUP_UNIT_SECONDS, NULL, NO_D, 0, NULL},
    {"executor_s", NULL, CUP_UNIT_SECONDS, NULL, NO_D, 0, NULL},
    {"other_s", NULL, CUP_UNIT_SECONDS, NULL, NO_D, 0, NULL},
    {"cpu_time_seconds", NULL, CUP_UNIT_SECONDS, NULL, NO_D, 0, NULL},
    {"io_time_seconds", NULL, CUP_UNIT_SECONDS, NULL, NO_D, 0, NULL},
    {"compression_time_seconds", NULL, CUP_UNIT_SECONDS, NULL, NO_D, 0, NULL},
    {"decompression_time_seconds", NULL, CUP_UNIT_SECONDS, NULL, NO_D, 0, NULL},
    {"serialization_time_seconds", NULL, CUP_UNIT_SECONDS, NULL, NO_D, 0, NULL},
    {"deserialization_time_seconds", NULL, CUP_UNIT_SECONDS, NULL, NO_D, 0, NULL},
    {"processor_cpu_time_seconds", NULL, CUP_UNIT_SECONDS, processor_cpu, "P: tasks of the prefixes that carried chunks", 0, NULL},
    {"processor_noncpu_time_seconds", NULL, CUP_UNIT_SECONDS, processor_noncpu, "P: likewise", 0, NULL},
    {"processor_cpu_percentage", NULL, CUP_UNIT_PERCENT, processor_cpu_percentage, "P: of the time of these tasks", 0, NULL},
    {"processor_noncpu_percentage", NULL, CUP_UNIT_PERCENT, processor_noncpu_percentage, "P: likewise", 0, NULL},
    {"overhead_cpu_time_seconds", NULL, CUP_UNIT_SECONDS, overhead_cpu, "P: tasks of all other prefixes", 0, NULL},
    {"overhead_noncpu_time_seconds", NULL, CUP_UNIT_SECONDS, overhead_noncpu, "P: likewise", 0, NULL},
    {"total_compression_overhead_seconds", NULL, CUP_UNIT_SECONDS, NULL, NO_D, 0, NULL},
    {"total_serialization_overhead_seconds", NULL, CUP_UNIT_SECONDS, NULL, NO_D, 0, NULL},
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

/* What the threads were used for, and what was wasted. */
#include "analysis/metrics/dask/coffea_compare.h"
#include "analysis/metrics/formulas.h"

static struct cup_value thread_cpu_efficiency(T t)
{
    return cup_ended_with_cpu(t)
               ? cup_ratio((double)cup_all_cpu_ns(t) / 1e9, cup_run_s(t) * cup_run_cores(t))
               : cup_null();
}

static struct cup_value thread_cpu_efficiency_total_cores(T t)
{
    return cup_ended_with_cpu(t)
               ? cup_ratio((double)cup_all_cpu_ns(t) / 1e9, cup_run_s(t) * cup_total_cores(t))
               : cup_null();
}

static struct cup_value busy_share(T t, double cores)
{
    uint64_t ns = cup_coffea_figure(t, CUP_COFFEA_PROCESS);
    return ns == CUP_UNKNOWN64 ? cup_null() : cup_ratio((double)ns / 1e9, cup_run_s(t) * cores);
}

static struct cup_value core_efficiency(T t)
{
    return busy_share(t, cup_total_cores(t));
}

static struct cup_value core_efficiency_avg_cores(T t)
{
    return busy_share(t, cup_run_cores(t));
}

static struct cup_value speedup_factor(T t)
{
    uint64_t ns = cup_coffea_figure(t, CUP_COFFEA_PROCESS);
    return ns == CUP_UNKNOWN64 ? cup_null() : cup_ratio((double)ns / 1e9, cup_run_s(t));
}

static struct cup_value io_overhead_pct(T t)
{
    return cup_ratio(cup_number(cup_processor_noncpu(t)) * 100, cup_run_s(t));
}

static struct cup_value wasted_wall_s(T t)
{
    return cup_of_ns(cup_waste_sum(&t->ledger.waste).wall_ns);
}

static struct cup_value wasted_cpu_s(T t)
{
    return cup_of_ns(cup_waste_sum(&t->ledger.waste).cpu_ns);
}

static struct cup_value wasted_bytes(T t)
{
    return cup_count(cup_waste_sum(&t->ledger.waste).read_bytes);
}

static struct cup_value io_wait_pct(T t)
{
    return cup_ratio(100 * (double)t->waits.ns[CUP_WAITED_IO],
                     (double)cup_wait_sums_wall_ns(&t->waits));
}

/* ---- the table -------------------------------------------------------------------------- */

#define FILES CUP_FEATURE_FILES
#define WAITS CUP_FEATURE_WAITS

/* clang-format off */
static const struct cup_metric metrics[] = {
    {"thread_cpu_efficiency", "CPU share of all threads", CUP_UNIT_SHARE, thread_cpu_efficiency, "P: total_thread_cpu_time / (wall_time * avg_cores), helper threads in the first, not in the second; threads: #", 0, NULL},
    {"thread_cpu_efficiency_total_cores", NULL, CUP_UNIT_SHARE, thread_cpu_efficiency_total_cores, "P: total_thread_cpu_time / (wall_time * total_cores); threads: #", 0, NULL},
    {"core_efficiency", "slots busy in process()", CUP_UNIT_SHARE, core_efficiency, "C: total_cpu_time / (wall_time * total_cores); waiting for storage counts as busy; threads: #", 0, NULL},
    {"core_efficiency_avg_cores", NULL, CUP_UNIT_SHARE, core_efficiency_avg_cores, "C: total_cpu_time / (wall_time * avg_cores); threads: #", 0, NULL},
    {"cpu_efficiency", NULL, CUP_UNIT_SHARE, core_efficiency, "the same number as core_efficiency", 0, NULL},
    {"speedup_factor", "speed-up factor", CUP_UNIT_RATIO, speedup_factor, "C: total_cpu_time / wall_time", 0, NULL},
    {"efficiency_ratio", NULL, CUP_UNIT_RATIO, speedup_factor, "C: the same number as speedup_factor", 0, NULL},
    {"io_overhead_pct", NULL, CUP_UNIT_PERCENT, io_overhead_pct, "P: processor_noncpu_time_seconds / wall_time", 0, NULL},
    {"io_wait_pct", "I/O wait", CUP_UNIT_PERCENT, io_wait_pct, "P: io_wait_s of all tasks over their time, where waits were measured", WAITS, NULL},
    {"wasted_wall_s", "task time without use", CUP_UNIT_SECONDS, wasted_wall_s, "P: tasks that erred; all but one success of a chunk; tasks whose result was lost with its worker, so that they were done again; tasks that never ended, until the last sign of their process", 0, NULL},
    {"wasted_cpu_s", "CPU time without use", CUP_UNIT_SECONDS, wasted_cpu_s, "P: likewise, of the tasks' own threads, those that never ended left out: a thread's CPU clock is read when its task ends", 0, NULL},
    {"wasted_bytes", "bytes read without use", CUP_UNIT_BYTES, wasted_bytes, "P: likewise, of all these tasks", FILES, NULL},
    {"scaling_efficiency", NULL, CUP_UNIT_RATIO, NULL, "needs two or more runs: `cupping compare A B`", 0, NULL},
};
/* clang-format on */

const struct cup_metric_section cup_efficiency_metrics = {"efficiency", metrics,
                                                          sizeof metrics / sizeof *metrics};

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

static struct cup_value speedup_factor(T t)
{
    uint64_t ns = cup_coffea_figure(t, CUP_COFFEA_PROCESS);
    return ns == CUP_UNKNOWN64 ? cup_null() : cup_ratio((double)ns / 1e9, cup_run_s(t));
}

static struct cup_value io_wait_pct(T t)
{
    return cup_ratio(100 * (double)t->waits.ns[CUP_WAITED_IO],
                     (double)cup_wait_sums_wall_ns(&t->waits));
}

#define METRIC_SECTION efficiency
#define METRIC_ROWS "analysis/metrics/rows_efficiency.h"
#include "analysis/metrics/section_table.h"

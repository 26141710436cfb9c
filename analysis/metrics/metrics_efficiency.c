/* What the threads were used for, and what was wasted. */
#include "analysis/metrics/dask/coffea_compare.h"
#include "analysis/metrics/formulas.h"

static struct cup_value thread_cpu_share(T t, double cores)
{
    return cup_value_if(cup_ended_with_cpu(t),
                        cup_ratio((double)cup_all_cpu_ns(t) / 1e9, cup_run_s(t) * cores));
}

static struct cup_value busy_share(T t, double cores)
{
    return cup_ratio(cup_metric_number(CUP_METRIC_total_cpu_time, t), cup_run_s(t) * cores);
}

static struct cup_value wasted_bytes(T t)
{
    const struct cup_waste waste = cup_waste_sum(t->waste);
    return cup_value_if(!waste.bytes_unknown, cup_count(waste.read_bytes));
}

#define METRIC_SECTION efficiency
#define METRIC_ROWS "analysis/metrics/rows_efficiency.h"
#include "analysis/metrics/section_table.h"

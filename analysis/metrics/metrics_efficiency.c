/* What the threads were used for, and what was wasted. */
#include "analysis/metrics/dask/coffea_compare.h"
#include "analysis/metrics/formulas.h"

/* The threads are those of all workers. */
static struct cup_value thread_cpu_share(T t, double cores)
{
    return cup_value_if(cup_ended_with_cpu(t) && cup_tasks_known(t),
                        cup_ratio((double)cup_all_cpu_ns(t) / 1e9, cup_run_s(t) * cores));
}

/* Coffea's own report has the chunks of all workers. */
static struct cup_value busy_share(T t, double cores)
{
    bool known = cup_tasks_known(t) || cup_coffea_origin(t, CUP_COFFEA_PROCESS) != CUP_COFFEA_SEEN;
    return cup_value_if(
        known, cup_ratio(cup_metric_number(CUP_METRIC_total_cpu_time, t), cup_run_s(t) * cores));
}

static struct cup_value wasted_bytes(T t)
{
    const struct cup_waste waste = cup_waste_sum(t->waste);
    return cup_value_if(!waste.bytes_unknown, cup_count(waste.read_bytes));
}

#define NO_CPU_SHARE                                                                               \
    "no task with a CPU clock of its own ended: async tasks have none; or " CUP_LOG_MISSING
#define NO_BUSY_SHARE "no chunk was timed, or " CUP_LOG_MISSING

#define METRIC_SECTION efficiency
#define METRIC_ROWS "analysis/metrics/rows_efficiency.h"
#include "analysis/metrics/section_table.h"

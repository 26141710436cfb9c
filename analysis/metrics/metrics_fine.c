/* CPU time, waits and Dask's own activities: the processor against the rest. */
#include "analysis/metrics/formulas.h"

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
        sum.noncpu_ns += t->prefixes[i].noncpu_ns;
    }
    return sum;
}

static struct cup_value cpu_of(T t, bool processor)
{
    struct cup_task_sums sum = sums_where(t, processor);
    return cup_value_if(cup_ended_with_cpu(t) && sum.tasks, cup_ns(sum.cpu_ns));
}

static struct cup_value noncpu_of(T t, bool processor)
{
    struct cup_task_sums sum = sums_where(t, processor);
    return cup_value_if(cup_ended_with_cpu(t) && sum.tasks, cup_ns(sum.noncpu_ns));
}

static struct cup_value processor_cpu_percentage(T t)
{
    struct cup_task_sums sum = sums_where(t, true);
    return cup_value_if(cup_ended_with_cpu(t),
                        cup_ratio(100.0 * (double)sum.cpu_ns, (double)sum.with_cpu_ns));
}

/* ---- Dask's own ------------------------------------------------------------------------- */

static struct cup_value of_dask(T t, enum cup_fine_activity activity)
{
    return cup_fine_of(t->fine, t->profile, &t->fine->all, activity);
}

static struct cup_value of_tasks(T t, enum cup_fine_activity activity)
{
    return cup_fine_of_tasks(t->fine, &t->fine->all, activity);
}

static struct cup_value sum_of(struct cup_value a, struct cup_value b)
{
    return cup_real(cup_number(a) + cup_number(b));
}

/* Null where no chunk was seen: then it is not known which prefixes are the processor. */
static struct cup_value dask_of(T t, const struct cup_fine_sums *sums,
                                enum cup_fine_activity activity)
{
    return cup_value_if(t->fine->processor.digests, cup_fine_of_tasks(t->fine, sums, activity));
}

static struct cup_value processor_cpu_percentage_dask(T t)
{
    double cpu = cup_number(dask_of(t, &t->fine->processor, CUP_FINE_THREAD_CPU)),
           noncpu = cup_number(dask_of(t, &t->fine->processor, CUP_FINE_THREAD_NONCPU));
    return cup_ratio(100 * cpu, cpu + noncpu);
}

/* ---- sources and reasons that several rows share ---------------------------------------- */

#define SINCE "digests_total of all workers, since each began: "
#define DASK_D "D: " SINCE
#define TASKS_D "D: " SINCE "of spans, as in roastcoffea: "
#define NOT_REPORTED                                                                               \
    "no worker reported Dask's fine metrics (CUPPING_INTERVAL=0, no Dask, or killed at once); or " \
    "only a part of the tasks was chosen (--run, --span): Dask's sums count from the start of a "  \
    "worker and can be split by span only, so what belongs to no span, or to a span that other "   \
    "tasks share, is not known"
#define NO_PROCESSOR NOT_REPORTED "; or none of the prefixes carried chunks"
#define HELPER_P "P: threads that helped tasks, found by the attribution methods of bytes"

#define METRIC_SECTION fine
#define METRIC_ROWS "analysis/metrics/rows_fine.h"
#include "analysis/metrics/section_table.h"

/* The workers: how many, how large, how busy. */
#include "analysis/metrics/formulas.h"

/* ---- how many --------------------------------------------------------------------------- */

/* Where workers were sampled at different times, only their number over time is known. */
static struct cup_value mean_workers(T t)
{
    bool apart = t->observed->origin == CUP_SAMPLES_WORKERS;
    return cup_real(apart ? cup_timeline_average(&t->observed->count)
                          : cup_timeline_mean(&t->observed->count));
}

static struct cup_value peak_workers(T t)
{
    return cup_logs_have_workers(t) ? cup_count(t->workers)
                                    : cup_whole(cup_timeline_max(&t->observed->count));
}

/* ---- how busy --------------------------------------------------------------------------- */

static struct cup_value executing_percent(T t)
{
    return cup_real(cup_tasks_known(t)
                        ? cup_budget_busy_percent(&t->budget)
                        : cup_timeline_mean(&t->observed->percents[CUP_PCT_EXECUTING]));
}

/* ---- memory ----------------------------------------------------------------------------- */

static struct cup_value peak_memory_percent(T t)
{
    double sampled = cup_timeline_max(&t->observed->percents[CUP_PCT_MEMORY]);
    return cup_real(t->task_memory_percent > 0 ? fmax(sampled, t->task_memory_percent) : sampled);
}

static struct cup_value real_cpu_utilization_process(T t)
{
    double cpu_s = 0, thread_s = 0;
    for (size_t i = 0; i < t->observed->worker_count; i++) {
        cpu_s += t->observed->workers[i].process_cpu_s;
        thread_s += t->observed->workers[i].process_thread_s;
    }
    return cup_ratio(100 * cpu_s, thread_s);
}

/* ---- sources and reasons that several rows share ---------------------------------------- */

#define APART "workers were sampled at different times: what all had at one moment is not known"
#define ONCE "; each host counts once"

#define METRIC_SECTION workers
#define METRIC_ROWS "analysis/metrics/rows_workers.h"
#include "analysis/metrics/section_table.h"

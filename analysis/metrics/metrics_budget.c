/* Threads x wall time, split without remainder. */
#include "analysis/metrics/formulas.h"

static struct cup_value threads_s(T t)
{
    return t->workers ? cup_of_ns(t->budget.threads_ns) : cup_null();
}

/* Helper threads are none of the threads that the budget splits. */
static struct cup_value task_cpu_s(T t)
{
    return cup_ended_with_cpu(t) ? cup_of_ns(t->budget.ns[CUP_BUDGET_TASK_CPU]) : cup_null();
}

static struct cup_value of_budget(T t, enum cup_budget_part part)
{
    return t->workers ? cup_of_ns(t->budget.ns[part]) : cup_null();
}

static struct cup_value other_task_s(T t)
{
    return cup_ended_with_cpu(t) ? of_budget(t, CUP_BUDGET_UNTOLD) : cup_null();
}

static struct cup_value unfinished_task_s(T t)
{
    return of_budget(t, CUP_BUDGET_UNFINISHED);
}

static struct cup_value dask_between_tasks_s(T t)
{
    return of_budget(t, CUP_BUDGET_BETWEEN);
}

static struct cup_value idle_s(T t)
{
    return of_budget(t, CUP_BUDGET_IDLE);
}

static struct cup_value outside_tasks_s(T t)
{
    const uint64_t *ns = t->budget.ns;
    return t->workers ? cup_of_ns(ns[CUP_BUDGET_BETWEEN] + ns[CUP_BUDGET_IDLE]) : cup_null();
}

static struct cup_value overbooked_s(T t)
{
    return t->workers ? cup_of_ns(t->budget.overbooked_ns) : cup_null();
}

static struct cup_value gap_threshold_s(T t)
{
    (void)t;
    return cup_seconds(CUP_GAP_THRESHOLD_NS);
}

static struct cup_value elsewhere_tasks(T t)
{
    return cup_count(t->elsewhere_tasks);
}

static struct cup_value elsewhere_s(T t)
{
    return cup_of_ns(t->elsewhere_ns);
}

#define X(id, name, label, text, needs, source)                                                    \
    static struct cup_value budget_##id(T t)                                                       \
    {                                                                                              \
        return t->pool_tasks_measured ? of_budget(t, CUP_BUDGET_##id) : cup_null();                \
    }
CUP_WAITS(X)
#undef X

/* ---- the table -------------------------------------------------------------------------- */

#define CORES_P                                                                                    \
    "P: estimated from the thread counts of the workers, each for the time of the run that its "   \
    "log was open"
#define BETWEEN_P                                                                                  \
    "P: gaps of up to gap_threshold_s between two tasks of a thread: deserialising, scheduling, "  \
    "transfers"

/* clang-format off */
static const struct cup_metric metrics[] = {
    {"threads_s", "threads x wall time", CUP_UNIT_SECONDS, threads_s, CORES_P, 0, NULL},
    {"task_cpu_s", "CPU in tasks", CUP_UNIT_SECONDS, task_cpu_s, "P: CPU clocks of the tasks' own threads, in each task no more than its time; helper threads are none of the threads counted here", 0, NULL},
#define X(id, name, label, text, needs, source) {name, "  " text, CUP_UNIT_SECONDS, budget_##id, "P: " source, needs, NULL},
    CUP_WAITS(X)
#undef X
    {"other_task_s", "  not told apart", CUP_UNIT_SECONDS, other_task_s, "P: task time less task CPU where waits were not measured", 0, NULL},
    {"unfinished_task_s", "tasks that never ended", CUP_UNIT_SECONDS, unfinished_task_s, "P: from their start to the last sign of their process: its end, or, where it was killed, the last thing that its log tells; what of it was CPU time is not known", 0, NULL},
    {"dask_between_tasks_s", "Dask between tasks", CUP_UNIT_SECONDS, dask_between_tasks_s, BETWEEN_P, 0, NULL},
    {"dask_overhead_s", NULL, CUP_UNIT_SECONDS, dask_between_tasks_s, "P: the same number as dask_between_tasks_s", 0, NULL},
    {"idle_s", "idle", CUP_UNIT_SECONDS, idle_s, "P: threads_s less all other parts: longer gaps, before the first and after the last task of a thread, threads that ran none", 0, NULL},
    {"outside_tasks_s", NULL, CUP_UNIT_SECONDS, outside_tasks_s, "P: dask_between_tasks_s + idle_s", 0, NULL},
    {"overbooked_s", "beyond the threads", CUP_UNIT_SECONDS, overbooked_s, "P: tasks' time beyond threads_s: tasks that left the pool to wait for others, whose place another one takes; all parts add up to threads_s + overbooked_s", 0, NULL},
    {"gap_threshold_s", "gaps up to this are Dask's", CUP_UNIT_SECONDS, gap_threshold_s, "a fixed number: what lies between two tasks of a thread is Dask's work up to this long, else idleness", 0, NULL},
    {"elsewhere_tasks", "tasks on no pool thread", CUP_UNIT_COUNT, elsewhere_tasks, "P: async tasks and calls of actors' methods, left out of all of the above", 0, NULL},
    {"elsewhere_s", NULL, CUP_UNIT_SECONDS, elsewhere_s, "P: their time", 0, NULL},
};
/* clang-format on */

const struct cup_metric_section cup_time_budget_metrics = {"time_budget", metrics,
                                                           sizeof metrics / sizeof *metrics};

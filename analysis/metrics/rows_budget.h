/* The metrics of the section "time_budget", one row each; metrics.h says what is in a row. */

METRIC(threads_s, "threads x wall time", SECONDS,
       cup_value_if(t->workers, cup_ns(t->budget.threads_ns)), CUP_CORES_FROM_LOGS,
       LESS_FOR_SAME_WORK)
METRIC(task_cpu_s, "CPU in tasks", SECONDS,
       cup_value_if(cup_ended_with_cpu(t), cup_ns(t->budget.ns[CUP_BUDGET_TASK_CPU])),
       "P: CPU clocks of the tasks' own threads, at most the time of the task; helper threads are "
       "not among the threads counted here",
       LESS_FOR_SAME_WORK)
#define X(id, name, label, text, features, source)                                                 \
    NAMED_METRIC(BUDGET_##id, name, "  " text, SECONDS,                                            \
                 t->pool_tasks_measured ? of_budget(t, CUP_BUDGET_##id) : cup_null(),              \
                 "P: " source, .needs = features, LESS_FOR_SAME_WORK)
CUP_WAITS(X)
#undef X
METRIC(other_task_s, "  waits not measured", SECONDS,
       cup_value_if(cup_ended_with_cpu(t), of_budget(t, CUP_BUDGET_UNTOLD)),
       "P: task time less task CPU where waits were not measured")
METRIC(unfinished_task_s, "tasks without an end", SECONDS, of_budget(t, CUP_BUDGET_UNFINISHED),
       "P: from their start to the last sign of their process: its end, or, if it was killed, the "
       "last record in its log; how much of it was CPU time is not known",
       LESS_FOR_SAME_WORK)
METRIC(dask_between_tasks_s, "Dask or executor between tasks", SECONDS,
       of_gaps(t, CUP_BUDGET_BETWEEN), BETWEEN_P, .missing = NO_GAPS, LESS_FOR_SAME_WORK)
METRIC(dask_overhead_s, NULL, SECONDS, of_gaps(t, CUP_BUDGET_BETWEEN),
       "P: the same number as dask_between_tasks_s", .missing = NO_GAPS, LESS_FOR_SAME_WORK)
METRIC(idle_s, "idle", SECONDS, of_gaps(t, CUP_BUDGET_IDLE),
       "P: threads_s less all other parts: longer gaps, the time before the first and after the "
       "last task of a thread, threads that ran no task",
       .missing = NO_GAPS, LESS_FOR_SAME_WORK)
METRIC(outside_tasks_s, NULL, SECONDS, outside_tasks_s(t), "P: dask_between_tasks_s + idle_s",
       .missing =
           "no worker left a log, or records of tasks were lost (health.tasks_lost says how many)",
       LESS_FOR_SAME_WORK)
METRIC(overbooked_s, "task time beyond the threads", SECONDS,
       cup_value_if(t->workers, cup_ns(t->budget.overbooked_ns)),
       "P: task time beyond threads_s: tasks that left the pool to wait for others, so that "
       "another task took their place; all parts add up to threads_s + overbooked_s")
METRIC(gap_threshold_s, "longest gap counted so", SECONDS, cup_seconds(CUP_GAP_THRESHOLD_NS),
       "a fixed number: the time between two tasks of a thread is Dask's work up to this length, "
       "and idle time beyond it")
METRIC(elsewhere_tasks, "tasks on no pool thread", COUNT, cup_count(t->elsewhere_tasks),
       "P: async tasks and calls of actors' methods; they are in none of the figures above")
METRIC(elsewhere_s, NULL, SECONDS, cup_ns(t->elsewhere_ns), "P: time of elsewhere_tasks, added up")

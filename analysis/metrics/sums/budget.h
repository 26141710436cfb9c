/* The time budget: threads x wall time of all workers, split without remainder into what tasks
 * computed and waited for, what Dask did between tasks, and idle time. */
#pragma once

#include "analysis/profile/profile.h"

/* A span of time: for tasks, from the first start to the last stop. */
struct cup_stretch {
    int64_t start_ns, stop_ns; /* both 0: there is none */
};

/* The parts: name in the JSON, and a short text for the bar. The waits are in the order of
 * CUP_WAITS. */
#define CUP_BUDGET(X)                                                                              \
    X(TASK_CPU, "task_cpu", "CPU in tasks")                                                        \
    X(IO, "io_wait", "I/O")                                                                        \
    X(GIL, "gil_wait", "GIL")                                                                      \
    X(LOCK, "lock_wait", "locks")                                                                  \
    X(SLEEP, "sleep", "sleep")                                                                     \
    X(POLL, "poll_wait", "sockets")                                                                \
    X(RUN_DELAY, "run_delay", "no core")                                                           \
    X(FAULT, "fault_wait", "page faults")                                                          \
    X(OTHER, "other_wait", "other waits")                                                          \
    X(UNTOLD, "other_task", "waits not told apart")                                                \
    X(UNFINISHED, "unfinished_task", "unfinished tasks")                                           \
    X(BETWEEN, "dask_between_tasks", "Dask between tasks")                                         \
    X(IDLE, "idle", "idle")
enum cup_budget_part {
#define X(id, name, text) CUP_BUDGET_##id,
    CUP_BUDGET(X)
#undef X
        CUP_BUDGET_COUNT
};
_Static_assert((int)CUP_BUDGET_OTHER - (int)CUP_BUDGET_IO == (int)CUP_WAITED_OTHER,
               "the budget has all waits, in their order");

struct cup_budget_text {
    const char *name; /* without a unit: seconds are task_cpu_s, percent are task_cpu */
    const char *text;
};
extern const struct cup_budget_text cup_budget_texts[CUP_BUDGET_COUNT];

/* The budget of the worker threads of one process, or of all. The parts add up to threads_ns +
 * overbooked_ns. All members are uint64_t, and can be added up over processes. */
struct cup_budget {
    uint64_t threads;
    uint64_t threads_ns; /* threads x time, while their process was there, within the run */
    uint64_t ns[CUP_BUDGET_COUNT];
    uint64_t overbooked_ns; /* task time beyond threads_ns: tasks that left the pool (they waited
                               for other tasks), while another one took their thread */
    uint64_t gaps;          /* number of gaps between tasks that count as Dask's work */
    /* Processes of which tasks have no record of their own (in a full log, or lost), so that the
     * gaps between tasks are not known. If there are any, IDLE is all the time outside of tasks,
     * and BETWEEN is 0. */
    uint64_t gaps_unknown;
};

/* A gap between two tasks of a thread counts as Dask's work if it is no longer than this; in a
 * longer one the thread had no task. Taking a task from the queue and reporting another one to the
 * scheduler takes a few ms. */
#define CUP_GAP_THRESHOLD_NS INT64_C(100000000)

/* Fills in one budget, zeroed by the caller, for each process of the profile. Returns 0, or -1
 * without memory. */
int cup_budgets_make(struct cup_budget *budgets, const struct cup_profile *profile,
                     struct cup_stretch run);

/* Adds the budget of a process to a sum. */
void cup_budget_add(struct cup_budget *sum, const struct cup_budget *more);

/* How many tasks of a process are in no record and in no sum, because records were lost. 0 if tasks
 * were excluded: then it is not known. */
uint64_t cup_tasks_lost(const struct cup_profile *profile, const struct cup_process *process);

/* The sum of all parts. */
uint64_t cup_budget_total_ns(const struct cup_budget *budget);

/* Shares in percent that add up to 100; all 0 for an empty budget. */
void cup_budget_percent(const struct cup_budget *budget, double percent[CUP_BUDGET_COUNT]);

/* Share of the threads' time in which they held a task, percent; NAN for an empty budget. */
double cup_budget_busy_percent(const struct cup_budget *budget);

/* The part of the run during which the process was there; if stop is before start, it was not. */
struct cup_stretch cup_process_presence(const struct cup_process *process, struct cup_stretch run);

/* When a run ended whose tasks did not: sets *end_ns to the latest last sign of a process in which
 * a task of the pool never ended and no later task ran on its thread; 0: there is none. Processes
 * that lost records are ignored, because the end of that task may be among these. Returns 0, or -1
 * without memory. */
int cup_run_end_of_unfinished(const struct cup_profile *profile, int64_t *end_ns);

/* True if the server has the role of a worker, or ran tasks, as in a process without Dask. */
bool cup_server_is_worker(const struct cup_server *server);

/* The time of all worker threads, split without remainder: threads x wall time is what their tasks
 * computed and waited, what Dask did between tasks, and idleness. */
#ifndef CUPPING_ANALYSIS_METRICS_SUMS_BUDGET_H
#define CUPPING_ANALYSIS_METRICS_SUMS_BUDGET_H

#include "analysis/profile/profile.h"

/* First start to last stop of some tasks. */
struct cup_stretch {
    int64_t start_ns, stop_ns; /* 0: none seen */
};

/* Each with its name in JSON, and a short one for the bar. The waits stand in the order of
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
    const char *name; /* without its unit: task_cpu_s is in seconds, task_cpu in percent */
    const char *text;
};
extern const struct cup_budget_text cup_budget_texts[CUP_BUDGET_COUNT];

/* Of the pool's threads of one process, or of all. The parts add up to threads_ns + overbooked_ns.
 */
struct cup_budget {
    uint64_t threads;
    uint64_t threads_ns; /* each for the part of the run that its process was there */
    uint64_t ns[CUP_BUDGET_COUNT];
    uint64_t overbooked_ns; /* tasks beyond that: those that left the pool to wait for others */
    uint64_t gaps;          /* counted as Dask's work between tasks */
};

/* Between two tasks of a thread: Dask's work up to this long, beyond it the thread had nothing to
 * do. Taking a task from the queue and telling the scheduler of another one takes a few ms. */
#define CUP_GAP_THRESHOLD_NS INT64_C(100000000)

/* Fills in one for each process of the profile. Returns 0, or -1 without memory. */
int cup_budgets_make(struct cup_budget *budgets, const struct cup_profile *profile,
                     struct cup_stretch run);

void cup_budget_add(struct cup_budget *sum, const struct cup_budget *budget);

/* All parts together. */
uint64_t cup_budget_total_ns(const struct cup_budget *budget);

/* Shares in percent that add up to 100; all 0 for an empty budget. */
void cup_budget_percent(const struct cup_budget *budget, double percent[CUP_BUDGET_COUNT]);

/* The part of the run during which the process was there; its stop before its start: none. */
struct cup_stretch cup_process_presence(const struct cup_process *process, struct cup_stretch run);

/* A worker: a server of that role, or one that ran tasks. Threads of a process's own where it has
 * no Dask. */
bool cup_server_is_worker(const struct cup_server *server);

#endif

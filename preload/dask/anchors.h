/* The names that everything rests on: where in Dask and Coffea the clocks are read, and what
 * stands in the frames there. Looked at once the module is imported; what is missing is off, and
 * the log says so. See docs/contributing/attribution.md. */
#ifndef CUPPING_PRELOAD_DASK_ANCHORS_H
#define CUPPING_PRELOAD_DASK_ANCHORS_H

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

/* X(id, module, function, what is read there, versions in which it was seen) */
#define CUP_ANCHORS(X)                                                                             \
    X(METER, "distributed.metrics", "meter", "(nothing: the caller of the thread clock)",          \
      "distributed 2023.4 to 2026.8")                                                              \
    X(RUN_TASK_SIMPLE, "distributed.worker", "_run_task_simple", "task, msg",                      \
      "distributed 2024.12 to 2026.8")                                                             \
    X(RUN_TASK, "distributed.worker", "_run_task", "key, execution_state",                         \
      "distributed 2024.12 to 2026.8")                                                             \
    X(APPLY_FUNCTION_SIMPLE, "distributed.worker", "apply_function_simple",                        \
      "function, args, kwargs, msg", "distributed up to 2024.11")                                  \
    X(APPLY_FUNCTION, "distributed.worker", "apply_function", "key, execution_state",              \
      "distributed up to 2024.11")                                                                 \
    X(ENTER, "contextlib", "__enter__", "(nothing: the task begins)", "CPython 3.9 to 3.13")       \
    X(EXIT, "contextlib", "__exit__", "(nothing: the task ends)", "CPython 3.9 to 3.13")           \
    X(TICK, "distributed.core", "_measure_tick", "self", "distributed 2021.12 to 2026.8")          \
    X(RUN_TASK_ASYNC, "distributed.worker", "_run_task_async", "msg",                              \
      "distributed 2024.12 to 2026.8")                                                             \
    X(APPLY_FUNCTION_ASYNC, "distributed.worker", "apply_function_async", "msg",                   \
      "distributed up to 2024.11")                                                                 \
    X(EXECUTE, "distributed.worker", "execute", "key, self", "distributed 2021.12 to 2026.8")      \
    X(RUN_ACTOR, "distributed.worker", "_run_actor", "key, execution_state",                       \
      "distributed 2024.12 to 2026.8")                                                             \
    X(APPLY_FUNCTION_ACTOR, "distributed.worker", "apply_function_actor", "key, execution_state",  \
      "distributed up to 2024.11")                                                                 \
    X(JOB_BEGINS, "concurrent.futures._base", "set_running_or_notify_cancel",                      \
      "(nothing: takes the Future's lock)", "CPython 3.9 to 3.13")                                 \
    X(JOB_RETURNED, "concurrent.futures._base", "set_result", "(likewise)", "CPython 3.9 to 3.13") \
    X(JOB_RAISED, "concurrent.futures._base", "set_exception", "(likewise)",                       \
      "CPython 3.9 to 3.13")                                                                       \
    X(JOB_RUN, "concurrent.futures.thread", "run", "(nothing: calls those three)",                 \
      "CPython 3.9 to 3.13")                                                                       \
    X(SUBMIT, "concurrent.futures.thread", "submit", "(nothing: takes its lock, wakes a thread)",  \
      "CPython 3.9 to 3.13")                                                                       \
    X(QUEUE_GET, "queue", "get", "(nothing: takes an item)", "CPython 3.9 to 3.13")                \
    X(BOOTSTRAP, "threading", "_bootstrap_inner", "(nothing: takes locks that hand nothing over)", \
      "CPython 3.9 to 3.13")                                                                       \
    X(BOOTSTRAP_LOCK, "threading", "_set_tstate_lock", "(likewise)", "CPython 3.9 to 3.12")        \
    X(THREAD_START, "threading", "start", "(likewise)", "CPython 3.9 to 3.13")                     \
    X(THREAD_ENDS, "threading", "_delete", "(likewise)", "CPython 3.9 to 3.13")                    \
    X(FINALIZER, "(any)", "__del__", "(nothing: hands nothing over)", "any")                       \
    X(EXECUTOR_DROPPED, "concurrent.futures.thread", "weakref_cb", "(likewise)",                   \
      "CPython 3.9 to 3.13")                                                                       \
    X(EXECUTOR_GROWS, "concurrent.futures.thread", "_adjust_thread_count",                         \
      "(nothing: starts threads that are handed their jobs)", "CPython 3.9 to 3.13")               \
    X(POOL_GROWS, "concurrent.futures.process", "_adjust_process_count",                           \
      "(nothing: starts processes that work for whoever submits)",                                 \
      "CPython 3.9 to 3.13, loky 3.7")                                                             \
    X(POOL_STARTS, "concurrent.futures.process", "_launch_processes", "(likewise)",                \
      "CPython 3.9 to 3.13")                                                                       \
    X(READ_SIGNED, "multiprocessing.forkserver", "read_signed",                                    \
      "(nothing: reads a child's number, or its status)", "CPython 3.9 to 3.13")                   \
    X(LAUNCH, "multiprocessing.popen_forkserver", "_launch", "(nothing: asks for the number)",     \
      "CPython 3.9 to 3.13")                                                                       \
    X(WORK_FUNCTION, "coffea.processor.executor", "_work_function",                                \
      "item, tic, file, materialized", "coffea 0.7.22 to 2026.9")                                  \
    X(QUEUE_MADE, "queue", "__init__", "(nothing: makes the queue's lock)", "CPython 3.9 to 3.13") \
    X(ARRAYS, "uproot.behaviors.TBranch", "_ranges_or_baskets_to_arrays",                          \
      "hasbranches, ranges_or_baskets, arrays", "uproot 5.6 and 5.7")                              \
    X(RUNNER, "coffea.processor.executor", "run", "executor (also in _run_impl)",                  \
      "coffea 0.7.22 to 2026.9")
enum cup_anchor {
#define X(id, module, function, reads, versions) CUP_ANCHOR_##id,
    CUP_ANCHORS(X)
#undef X
        CUP_ANCHOR_COUNT
};

/* A clock was read by the program: ID is CLOCK_REALTIME or CLOCK_THREAD_CPUTIME_ID, NOW what it
 * was told. Returns quickly unless the caller is an anchor. Keeps errno. */
void cup_anchors_clock(clockid_t id, const struct timespec *now);

static inline int64_t cup_anchors_ns(const struct timespec *time)
{
    return (int64_t)time->tv_sec * 1000000000 + time->tv_nsec;
}

/* CLOCK_MONOTONIC was read by the program, from CALLER, and the gate of run.h was open. An
 * allocator may read this clock, half-way through its work: only what the interpreter itself asks
 * counts. Keeps errno. */
void cup_anchors_monotonic(const struct timespec *now, const void *caller);

/* Interned co_name of an anchor's function, to compare with cup_frames_name_of(). */
const void *cup_anchor_name(enum cup_anchor anchor);

/* This thread may ask the interpreter now: it has the GIL, no exception pending, and the
 * interpreter is the one that was verified. */
bool cup_anchors_may_ask(void);

/* The interpreter that was verified is the one that runs here. GIL. */
void cup_anchors_reset(void);

#endif

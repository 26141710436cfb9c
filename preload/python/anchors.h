/* The Python functions that cupping recognises on the stack: where Dask, Coffea, uproot and the
 * standard library read clocks, take locks and start threads. A frame belongs to one of them if the
 * co_name of its code is the interned name listed here: comparing it costs one pointer comparison.
 * A function that is missing in the running version is never recognised, and what depends on it is
 * off. See docs/contributing/attribution.md. */
#pragma once

#include "preload/sys/library_variable.h"

#include <stdbool.h>

/* X(id, function, local variables that cupping reads there), by module and versions that they were
 * checked with. */
#define CUP_ANCHORS(X)                                                                             \
    /* distributed.metrics, 2023.3.2 to 2026.8 */                                                  \
    X(METER, "meter", "(none: the caller of the thread clock)")                                    \
    /* distributed.worker, 2024.11 to 2026.8 */                                                    \
    X(RUN_TASK_SIMPLE, "_run_task_simple", "task, msg, result")                                    \
    X(RUN_TASK, "_run_task", "key, execution_state")                                               \
    X(RUN_TASK_ASYNC, "_run_task_async", "msg, result")                                            \
    X(RUN_ACTOR, "_run_actor", "key, execution_state")                                             \
    /* distributed.worker, 2022.1 to 2024.10 */                                                    \
    X(APPLY_FUNCTION_SIMPLE, "apply_function_simple",                                              \
      "function, args, kwargs, msg, result; start (up to 2023.3.1)")                               \
    X(APPLY_FUNCTION, "apply_function", "key, execution_state, msg")                               \
    X(APPLY_FUNCTION_ASYNC, "apply_function_async", "msg, result, start")                          \
    X(APPLY_FUNCTION_ACTOR, "apply_function_actor", "key, execution_state")                        \
    /* distributed.worker, 2021.12 to 2026.8 */                                                    \
    X(EXECUTE, "execute", "key, self")                                                             \
    /* contextlib, CPython 3.9 to 3.13 */                                                          \
    X(ENTER, "__enter__", "(none: the task begins)")                                               \
    X(EXIT, "__exit__", "value (the task ends)")                                                   \
    /* distributed.worker, 2022.1 to 2026.8 */                                                     \
    X(REGISTERS, "_register_with_scheduler", "(none: the log opens)")                              \
    /* distributed.core, 2021.12 to 2026.8 */                                                      \
    X(TICK, "_measure_tick", "self")                                                               \
    /* concurrent.futures._base, CPython 3.9 to 3.13 */                                            \
    X(JOB_BEGINS, "set_running_or_notify_cancel", "(none: takes the Future's lock)")               \
    X(JOB_RETURNED, "set_result", "(none)")                                                        \
    X(JOB_RAISED, "set_exception", "(none)")                                                       \
    /* concurrent.futures.thread, CPython 3.9 to 3.13 */                                           \
    X(JOB_RUN, "run", "(none: calls the three above)")                                             \
    X(SUBMIT, "submit", "(none: takes its lock, wakes a thread)")                                  \
    X(EXECUTOR_DROPPED, "weakref_cb", "(none)")                                                    \
    X(EXECUTOR_GROWS, "_adjust_thread_count", "(none: starts threads that get their jobs later)")  \
    /* queue, CPython 3.9 to 3.13 */                                                               \
    X(QUEUE_GET, "get", "(none: takes an item)")                                                   \
    X(QUEUE_MADE, "__init__", "(none: makes the queue's lock)")                                    \
    /* threading, CPython 3.9 to 3.13 */                                                           \
    X(BOOTSTRAP, "_bootstrap_inner", "(none: its locks hand no work over)")                        \
    X(BOOTSTRAP_LOCK, "_set_tstate_lock", "(none: until 3.12)")                                    \
    X(THREAD_START, "start", "(none)")                                                             \
    X(WAIT, "wait", "(none: its lock is one that another thread gives)")                           \
    X(THREAD_ENDS, "_delete", "(none)")                                                            \
    /* concurrent.futures.process, CPython 3.9 to 3.13 */                                          \
    X(POOL_GROWS, "_adjust_process_count",                                                         \
      "(none: its processes work for any submitter; loky 3.7, too)")                               \
    X(POOL_STARTS, "_launch_processes", "(none)")                                                  \
    X(POOL_WORKER, "_process_worker", "(none: runs the jobs of a process; loky 3.7, too)")         \
    /* parsl.executors.high_throughput.process_worker_pool, parsl 2026.10 */                       \
    X(PARSL_WORKER, "worker", "result_package")                                                    \
    /* multiprocessing.forkserver, CPython 3.9 to 3.13 */                                          \
    X(READ_SIGNED, "read_signed", "(none: reads a child's PID, or its status)")                    \
    /* multiprocessing.popen_forkserver, CPython 3.9 to 3.13 */                                    \
    X(LAUNCH, "_launch", "(none: asks for the PID)")                                               \
    /* multiprocessing.resource_tracker, CPython 3.9 to 3.13 */                                    \
    X(TRACKER, "ensure_running", "(none: its pipe hands no work over)")                            \
    /* coffea.processor.executor, coffea 0.7.22 to 2026.9 */                                       \
    X(WORK_FUNCTION, "_work_function", "item, tic, file, materialized, checkpointer")              \
    X(FETCH_METADATA, "metadata_fetcher", "item")                                                  \
    X(FETCH_METADATA_ROOT, "metadata_fetcher_root", "item")                                        \
    X(FETCH_METADATA_PARQUET, "metadata_fetcher_parquet", "item")                                  \
    X(RETRIES, "automatic_retries", "retries, retry_count, skipbadfiles")                          \
    X(RUNNER, "run", "executor (also in _run_impl)")                                               \
    /* uproot.behaviors.TBranch, uproot 5.6 and 5.7 */                                             \
    X(ARRAYS, "_ranges_or_baskets_to_arrays", "hasbranches, ranges_or_baskets, arrays")            \
    /* any module, any version */                                                                  \
    X(FINALIZER, "__del__", "(none: its locks hand no work over)")
enum cup_anchor {
#define X(id, function, reads) CUP_ANCHOR_##id,
    CUP_ANCHORS(X)
#undef X
        CUP_ANCHOR_COUNT
};

/* Interns all names and remembers the running interpreter as the one whose layouts were verified.
 * Needs the GIL. Called once, after cup_frames_verify() succeeded. */
void cup_anchors_intern(void);

/* The interned name of an anchor's function, to compare with cup_frames_name(). NULL before
 * cup_anchors_intern(). Any thread, no GIL. */
extern const void *cup_anchor_names[CUP_ANCHOR_COUNT] CUP_OURS;
static inline const void *cup_anchor_name(enum cup_anchor anchor)
{
    return cup_anchor_names[anchor];
}

/* True if the calling thread may call the C API now: it holds the GIL, has no exception pending,
 * and runs in the interpreter that was verified (not in a subinterpreter). */
bool cup_anchors_may_ask(void);

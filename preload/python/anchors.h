/* The Python functions that cupping recognises on the stack: where Dask, Coffea, uproot and the
 * standard library read clocks, take locks and start threads. A frame belongs to one of them if the
 * co_name of its code is the interned name listed here: comparing it costs one pointer comparison.
 * A function that is missing in the running version is never recognised, and what depends on it is
 * off. See docs/contributing/attribution.md. */
#ifndef CUPPING_PRELOAD_PYTHON_ANCHORS_H
#define CUPPING_PRELOAD_PYTHON_ANCHORS_H

#include "preload/sys/library_variable.h"

#include <stdbool.h>

/* X(id, module, function, local variables that cupping reads there, versions it was checked
 * with) */
#define CUP_ANCHORS(X)                                                                             \
    X(METER, "distributed.metrics", "meter", "(none: the caller of the thread clock)",             \
      "distributed 2023.4 to 2026.8")                                                              \
    X(RUN_TASK_SIMPLE, "distributed.worker", "_run_task_simple", "task, msg",                      \
      "distributed 2024.12 to 2026.8")                                                             \
    X(RUN_TASK, "distributed.worker", "_run_task", "key, execution_state",                         \
      "distributed 2024.12 to 2026.8")                                                             \
    X(APPLY_FUNCTION_SIMPLE, "distributed.worker", "apply_function_simple",                        \
      "function, args, kwargs, msg", "distributed up to 2024.11")                                  \
    X(APPLY_FUNCTION, "distributed.worker", "apply_function", "key, execution_state",              \
      "distributed up to 2024.11")                                                                 \
    X(ENTER, "contextlib", "__enter__", "(none: the task begins)", "CPython 3.9 to 3.13")          \
    X(EXIT, "contextlib", "__exit__", "(none: the task ends)", "CPython 3.9 to 3.13")              \
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
      "(none: takes the Future's lock)", "CPython 3.9 to 3.13")                                    \
    X(JOB_RETURNED, "concurrent.futures._base", "set_result", "(none)", "CPython 3.9 to 3.13")     \
    X(JOB_RAISED, "concurrent.futures._base", "set_exception", "(none)", "CPython 3.9 to 3.13")    \
    X(JOB_RUN, "concurrent.futures.thread", "run", "(none: calls the three above)",                \
      "CPython 3.9 to 3.13")                                                                       \
    X(SUBMIT, "concurrent.futures.thread", "submit", "(none: takes its lock, wakes a thread)",     \
      "CPython 3.9 to 3.13")                                                                       \
    X(QUEUE_GET, "queue", "get", "(none: takes an item)", "CPython 3.9 to 3.13")                   \
    X(BOOTSTRAP, "threading", "_bootstrap_inner", "(none: its locks hand no work over)",           \
      "CPython 3.9 to 3.13")                                                                       \
    X(BOOTSTRAP_LOCK, "threading", "_set_tstate_lock", "(none)", "CPython 3.9 to 3.12")            \
    X(THREAD_START, "threading", "start", "(none)", "CPython 3.9 to 3.13")                         \
    X(THREAD_ENDS, "threading", "_delete", "(none)", "CPython 3.9 to 3.13")                        \
    X(FINALIZER, "(any)", "__del__", "(none: its locks hand no work over)", "any")                 \
    X(EXECUTOR_DROPPED, "concurrent.futures.thread", "weakref_cb", "(none)",                       \
      "CPython 3.9 to 3.13")                                                                       \
    X(EXECUTOR_GROWS, "concurrent.futures.thread", "_adjust_thread_count",                         \
      "(none: starts threads that get their jobs later)", "CPython 3.9 to 3.13")                   \
    X(POOL_GROWS, "concurrent.futures.process", "_adjust_process_count",                           \
      "(none: starts processes that work for any submitter)", "CPython 3.9 to 3.13, loky 3.7")     \
    X(POOL_STARTS, "concurrent.futures.process", "_launch_processes", "(none)",                    \
      "CPython 3.9 to 3.13")                                                                       \
    X(READ_SIGNED, "multiprocessing.forkserver", "read_signed",                                    \
      "(none: reads a child's PID, or its status)", "CPython 3.9 to 3.13")                         \
    X(LAUNCH, "multiprocessing.popen_forkserver", "_launch", "(none: asks for the PID)",           \
      "CPython 3.9 to 3.13")                                                                       \
    X(WORK_FUNCTION, "coffea.processor.executor", "_work_function",                                \
      "item, tic, file, materialized", "coffea 0.7.22 to 2026.9")                                  \
    X(QUEUE_MADE, "queue", "__init__", "(none: makes the queue's lock)", "CPython 3.9 to 3.13")    \
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

#endif

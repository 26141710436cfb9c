/* What each room does when a log opens, the process forks or ends, a task begins or ends, or a
 * thread ends: one table, preload/lifecycle_table.c, with a row for each file that needs one of
 * these events. CUP_LIFECYCLE() goes through it from the first row to the last. So a lower room
 * never includes a higher one to notify it. A higher room simply calls a lower one, without an
 * event.
 *
 * At every event but process_forks and process_forked the calling thread holds its guard. At no
 * event does it hold a lock of ours, with one exception: when a log opens, `reset` and `log_opened`
 * run under the lock of recording.c, so they must not call cup_recording_open(). Events may change
 * errno: their callers save it. */
#pragma once

#include "preload/log/log.h"

#include <stdint.h>

/* A row: the functions that one file wants to be called. NULL: the file does not need that event.
 */
struct cup_lifecycle_row {
    const char *file;

    /* A log is about to open, or this is a forked child. Clears everything that refers to the
     * contents of an earlier log or of the parent's log (string ids, files, blocks) or to running
     * tasks, and frees the locks that other threads of the parent held. No task runs. */
    void (*reset)(void);

    /* The log is there, but cup_active() is still false: records may be written, and features
     * added. */
    void (*log_opened)(enum cup_log_size size);

    /* Called by the thread that forks, before the fork. The guard is not held, and perhaps no log
     * is open. */
    void (*process_forks)(void);

    /* Called by the same thread after the fork, in the parent; also if the fork failed. */
    void (*process_forked)(void);

    /* Called by the only thread of a forked child, after `reset` of the same row. */
    void (*child_begins)(void);

    /* TASK began. Its counter block is open, and it counts as running. cup_self.task is TASK on the
     * thread that runs it; no thread runs an async task. CPU_NS: the thread's CPU clock when the
     * task began; CUP_UNKNOWN64 for an async task. */
    void (*task_begins)(uint32_t task, uint64_t cpu_ns);

    /* The calling thread, which works for a task, waited for the GIL and has it again. Unlike other
     * waits, this one was not inside an allocator or a signal handler, so this event may start a
     * thread. */
    void (*task_goes_on)(void);

    /* TASK is about to end: its counter block is still open. cup_self.task is as in task_begins.
     * CPU_NS: the thread's CPU clock when the task ends; CUP_UNKNOWN64 for an async task. */
    void (*task_ends)(uint32_t task, uint64_t cpu_ns);

    /* TASK has ended: its block is closed, its TASK_END record is written, and it no longer counts
     * as running. Or its thread ends in the middle of it: then it has no TASK_END record. */
    void (*task_ended)(uint32_t task);

    /* The calling thread, which runs no task, works for TASK from now on; 0: for none that is
     * known. CPU_NS: its CPU clock now. */
    void (*thread_works)(uint32_t task, uint64_t cpu_ns);

    /* The calling thread, which runs no task, opened a counter block as a helper. For which task it
     * works is looked up at each call, mostly in its context, so this event names none. */
    void (*thread_helps)(void);

    /* The process opens a compiled module of Python. A package does so while it is imported, after
     * it has loaded its first libraries. */
    void (*module_loads)(void);

    /* The calling thread ends, and a log is open: adds what is not yet in its blocks, and closes
     * them. */
    void (*thread_settles)(void);

    /* The calling thread ends: gives back its descriptors and slots. Called after thread_settles;
     * also if no log is open. */
    void (*thread_ends)(void);

    /* The process ends, and a log is open: writes what is left to record. Other threads may still
     * run. Not called if the process ends inside the library (in a signal handler), where a
     * lock of ours may be held. */
    void (*process_ends)(void);
};

/* Defined in preload/lifecycle_table.c. A row whose file is NULL ends it. */
extern const struct cup_lifecycle_row cup_lifecycle_rows[];

/* Calls EVENT of every row that has it, from the first row to the last:
 * CUP_LIFECYCLE(task_ended, task). */
#define CUP_LIFECYCLE(event, ...)                                                                  \
    do {                                                                                           \
        for (const struct cup_lifecycle_row *row = cup_lifecycle_rows; row->file; row++)           \
            if (row->event)                                                                        \
                row->event(__VA_ARGS__);                                                           \
    } while (0)

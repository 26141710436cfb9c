/* What each room does when a log opens, the process forks or ends, a task begins or ends, or a
 * thread ends: one table, preload/lifecycle_table.c, with a row for each file that needs one of
 * these events. The functions below walk it from the first row to the last. So a lower room never
 * includes a higher one to notify it. A call downwards needs no event.
 *
 * All events come with the guard of the calling thread held (but process_forks), and without any
 * lock of ours. They may change errno: callers save it. */
#ifndef CUPPING_PRELOAD_LIFECYCLE_LIFECYCLE_H
#define CUPPING_PRELOAD_LIFECYCLE_LIFECYCLE_H

#include "preload/log/log.h"

#include <stdint.h>

/* NULL: the file does not need that event. */
struct cup_lifecycle_row {
    const char *file;

    /* A log is about to open, or this is a forked child, whose parent's log is gone: everything
     * that refers to a log's contents (string ids, files, blocks) or to running tasks is cleared,
     * and locks that threads of the parent held are free. No task runs. */
    void (*reset)(void);

    /* The log is there, but cup_active() is still false: records may be written, and features
     * added. */
    void (*log_opened)(enum cup_log_size size);

    /* The thread that forks, before it does. Without the guard, and without a log as well. */
    void (*process_forks)(void);

    /* The only thread of a forked child, after `reset` of the same row. */
    void (*child_begins)(void);

    /* TASK began. Its counter block is open, and it counts as running. cup_self.task is TASK on the
     * thread that runs it; an async task is run by no thread. CPU_NS: the thread's CPU clock when
     * the task began. */
    void (*task_begins)(uint32_t task, uint64_t cpu_ns);

    /* The calling thread waited for the GIL, and has it again: it is not inside an allocator, so a
     * thread may be started here. */
    void (*task_goes_on)(void);

    /* TASK is about to end: its counter block is still open. Thread and CPU_NS as above, but an
     * async task's CPU_NS is CUP_UNKNOWN64. */
    void (*task_ends)(uint32_t task, uint64_t cpu_ns);

    /* TASK has ended: its block is closed, its record is written, and it runs no more. */
    void (*task_ended)(uint32_t task);

    /* The calling thread, which runs no task, works for TASK from now on; 0: for none that is
     * known. CPU_NS: its CPU clock now. */
    void (*thread_works)(uint32_t task, uint64_t cpu_ns);

    /* Likewise, but its context says from call to call for which task it works. */
    void (*thread_helps)(void);

    /* The calling thread ends, and a log is open: what it still has to count is counted, and its
     * blocks are closed. */
    void (*thread_settles)(void);

    /* After that, also without a log: what the thread has (descriptors, slots) is given back. */
    void (*thread_ends)(void);

    /* The process ends, and a log is open: what is left to record is written. Other threads may
     * still run. Not called if the process ends inside the library (in a signal handler), where a
     * lock of ours may be held. */
    void (*process_ends)(void);
};

/* Defined at the roof. A row without a file ends it. */
extern const struct cup_lifecycle_row cup_lifecycle_rows[];

void cup_lifecycle_reset(void);
void cup_lifecycle_log_opened(enum cup_log_size size);
void cup_lifecycle_process_forks(void);
void cup_lifecycle_child_begins(void); /* `reset` and `child_begins`, row by row */
void cup_lifecycle_task_begins(uint32_t task, uint64_t cpu_ns);
void cup_lifecycle_task_goes_on(void);
void cup_lifecycle_task_ends(uint32_t task, uint64_t cpu_ns);
void cup_lifecycle_task_ended(uint32_t task);
void cup_lifecycle_thread_works(uint32_t task, uint64_t cpu_ns);
void cup_lifecycle_thread_helps(void);
void cup_lifecycle_thread_settles(void);
void cup_lifecycle_thread_ends(void);
void cup_lifecycle_process_ends(void);

#endif

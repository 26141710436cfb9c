/* The tasks that run in this process, in tables that any thread may read without a lock. */
#pragma once

#include "preload/sys/library_variable.h"

#include <stdbool.h>
#include <stdint.h>

/* The running-task table. A task's number is in slot number % CUP_RUNNING_SLOTS or in one of the
 * next seven, and stays in that slot until the task ends. */
enum { CUP_RUNNING_SLOTS = 1024, CUP_RUNNING_PROBE = 8 };
extern uint32_t cup_running_tasks[CUP_RUNNING_SLOTS] CUP_OURS;

/* TASK runs in this process. False for task 0. */
static inline bool cup_task_runs(uint32_t task)
{
    for (uint32_t i = 0; i < CUP_RUNNING_PROBE; i++)
        if (__atomic_load_n(&cup_running_tasks[(task + i) % CUP_RUNNING_SLOTS], __ATOMIC_ACQUIRE) ==
            task)
            return task != 0;
    return false;
}

/* The number of running tasks (upper 32 bits) and the sum of their task numbers (lower 32 bits). If
 * one task runs, the sum is its number. Both are in one word: of two words, a thread could read one
 * before and one after a begin or an end, and then take a task to be the only one that is not even
 * running. A sum that outgrows 32 bits carries into the count: then more tasks seem to run. */
extern uint64_t cup_running_sum CUP_OURS;
static inline bool cup_any_task_runs(void)
{
    return __atomic_load_n(&cup_running_sum, __ATOMIC_SEQ_CST) >> 32;
}

/* The only task that runs; 0: none runs, or several do. *EPOCH counts the begins and ends of tasks:
 * if two calls return the same task and the same epoch, no other task ran in between. */
uint32_t cup_sole_task(uint32_t *epoch);

/* The task whose own thread last began to wait for a condition of native code, and still does: for
 * a pool of native threads, for instance (Python's locks are no conditions). 0: none. */
extern uint32_t cup_native_waiter CUP_OURS;

/* TASK begins; TASK ends. Called by any thread. */
void cup_running_add(uint32_t task);
void cup_running_remove(uint32_t task);

/* A row of the lifecycle table: no task runs. */
void cup_running_reset(void);

/* The tasks that run in this process. Any thread may ask, without a lock. */
#ifndef CUPPING_PRELOAD_LIFECYCLE_RUNNING_TASKS_H
#define CUPPING_PRELOAD_LIFECYCLE_RUNNING_TASKS_H

#include "preload/lifecycle/running_tasks.h"
#include "preload/sys/library_variable.h"

#include <stdbool.h>
#include <stdint.h>

/* A task that runs long stays at its number's place, or one of the next seven, however many others
 * begin and end. */
enum { CUP_RUNNING_SLOTS = 1024, CUP_RUNNING_PROBE = 8 };
extern uint32_t cup_running_tasks[CUP_RUNNING_SLOTS] CUP_OURS;

/* False for task 0. */
static inline bool cup_task_runs(uint32_t task)
{
    for (uint32_t i = 0; i < CUP_RUNNING_PROBE; i++)
        if (__atomic_load_n(&cup_running_tasks[(task + i) % CUP_RUNNING_SLOTS], __ATOMIC_ACQUIRE) ==
            task)
            return task != 0;
    return false;
}

/* How many tasks run (times 2^32) plus the sum of their numbers, in one word: two words could be
 * read in the middle of a begin or an end, and then name a task that does not run. With one task
 * the sum is its number. A sum that outgrows 32 bits only makes the tasks look like more. */
extern uint64_t cup_running_sum CUP_OURS;
static inline bool cup_any_task_runs(void)
{
    return __atomic_load_n(&cup_running_sum, __ATOMIC_SEQ_CST) >> 32;
}

/* The only task that runs; 0: there are none, or several. *EPOCH changes with every begin and end:
 * where two calls return the same task and epoch, it was the only one all the time in between. */
uint32_t cup_sole_task(uint32_t *epoch);

/* TASK begins and ends. Any thread. */
void cup_running_add(uint32_t task);
void cup_running_remove(uint32_t task);

/* No task runs. */
void cup_running_reset(void);

#endif

#include "preload/lifecycle/running_tasks.h"

#include <string.h>

uint64_t cup_running_sum;
uint32_t cup_running_tasks[CUP_RUNNING_SLOTS];
uint32_t cup_native_waiter;
static uint32_t changes; /* begins and ends so far: raised before cup_running_sum changes */

#define ONE_TASK (UINT64_C(1) << 32)

/* Puts TO into the first of TASK's eight slots that holds FROM. If a task begins and all eight are
 * taken (by running tasks whose numbers are close to its own modulo CUP_RUNNING_SLOTS), then
 * cup_task_runs() is false for it, and what helpers do for it because of their context, their
 * origin or a descriptor is unattributed. */
static void replace_slot(uint32_t from, uint32_t to, uint32_t task)
{
    for (uint32_t i = 0; i < CUP_RUNNING_PROBE; i++) {
        uint32_t expected = from;
        if (__atomic_compare_exchange_n(&cup_running_tasks[(task + i) % CUP_RUNNING_SLOTS],
                                        &expected, to, false, __ATOMIC_RELEASE, __ATOMIC_RELAXED))
            return;
    }
}

void cup_running_add(uint32_t task)
{
    __atomic_fetch_add(&changes, 1, __ATOMIC_SEQ_CST);
    __atomic_fetch_add(&cup_running_sum, ONE_TASK + task, __ATOMIC_SEQ_CST);
    replace_slot(0, task, task);
}

void cup_running_remove(uint32_t task)
{
    __atomic_fetch_add(&changes, 1, __ATOMIC_SEQ_CST);
    __atomic_fetch_sub(&cup_running_sum, ONE_TASK + task, __ATOMIC_SEQ_CST);
    replace_slot(task, 0, task);
}

/* The epoch is read before the sum: a task that begins between the two loads makes the epoch of the
 * next call a different one. */
uint32_t cup_sole_task(uint32_t *epoch)
{
    *epoch = __atomic_load_n(&changes, __ATOMIC_SEQ_CST);
    uint64_t sum = __atomic_load_n(&cup_running_sum, __ATOMIC_SEQ_CST);
    return sum >> 32 == 1 ? (uint32_t)sum : 0;
}

void cup_running_reset(void)
{
    cup_running_sum = 0;
    cup_native_waiter = 0;
    memset(cup_running_tasks, 0, sizeof cup_running_tasks);
}

#include "preload/lifecycle/running_tasks.h"

#include <string.h>

uint64_t cup_running_sum;
uint32_t cup_running_tasks[CUP_RUNNING_SLOTS];
static uint32_t changes; /* begins and ends, counted before cup_running_sum shows them */

#define ONE_TASK (UINT64_C(1) << 32)

/* In the first of TASK's slots that holds FROM. If all eight are taken, by tasks whose numbers are
 * multiples of a thousand apart, TASK does not count as running, and what is done for it as a
 * helper is unattributed. */
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

/* The epoch is read first: a task that begins in between shows as a change. */
uint32_t cup_sole_task(uint32_t *epoch)
{
    *epoch = __atomic_load_n(&changes, __ATOMIC_SEQ_CST);
    uint64_t sum = __atomic_load_n(&cup_running_sum, __ATOMIC_SEQ_CST);
    return sum >> 32 == 1 ? (uint32_t)sum : 0;
}

void cup_running_reset(void)
{
    cup_running_sum = 0;
    memset(cup_running_tasks, 0, sizeof cup_running_tasks);
}

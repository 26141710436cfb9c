/* Bytes of data files and servers that are attributed to no task. Each task that ran while they
 * were read may have read them, so its record says how many there were. */
#pragma once

#include "include/log_format.h"
#include "preload/sys/library_variable.h"

/* Bytes that this process read and could not attribute to a task, by reason. */
extern uint64_t cup_unattributed_bytes[CUP_UNATTRIBUTED_REASON_COUNT] CUP_OURS;

/* Adds to them; any thread may call it. REASON CUP_UNATTRIBUTED_REASON_COUNT: no running task may
 * have read them. */
static inline void cup_unattributed_add(enum cup_unattributed_reason reason, uint64_t bytes)
{
    if (reason < CUP_UNATTRIBUTED_REASON_COUNT)
        __atomic_fetch_add(&cup_unattributed_bytes[reason], bytes, __ATOMIC_RELAXED);
}

/* Called through the lifecycle table when the task with this number begins and ends; CPU_NS is not
 * used. The end writes an UNATTRIBUTED record if bytes were added in between. */
void cup_unattributed_task_begins(uint32_t task, uint64_t cpu_ns);
void cup_unattributed_task_ends(uint32_t task, uint64_t cpu_ns);

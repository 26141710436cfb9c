/* Bytes of data files and servers that are attributed to no task. Each task that ran while they
 * were read may have read them, so its record says how many there were. */
#pragma once

#include "include/log_format.h"
#include "preload/sys/library_variable.h"

/* What this process read for no known task, by reason. */
extern uint64_t cup_unattributed_bytes[CUP_UNATTRIBUTED_REASON_COUNT] CUP_OURS;

/* Any thread. REASON CUP_UNATTRIBUTED_REASON_COUNT: no running task may have read them. */
static inline void cup_unattributed_add(enum cup_unattributed_reason reason, uint64_t bytes)
{
    if (reason < CUP_UNATTRIBUTED_REASON_COUNT)
        __atomic_fetch_add(&cup_unattributed_bytes[reason], bytes, __ATOMIC_RELAXED);
}

/* Rows of the lifecycle table. */
void cup_unattributed_task_begins(uint32_t task, uint64_t cpu_ns);
void cup_unattributed_task_ends(uint32_t task, uint64_t cpu_ns);

/* Helper waits: what the helpers of a task wait for while the task itself waits for a lock. The
 * task's wait is then counted in the helper's class. If several helpers wait at the same time, only
 * one class counts, the first of: I/O, the GIL, sleep, sockets. Helpers' waits for locks are not
 * noted. */
#pragma once

#include "include/log_format.h"

/* For each class, how long at least one helper of a task waited in it, in ticks. */
struct cup_helper_wait {
    uint64_t ticks[CUP_WAIT_COUNT];
};

/* TASK begins; TASK ends. The table has one entry for each task number modulo its size: if the
 * entry is taken by another running task, no helper waits are noted for TASK. */
void cup_helper_wait_begin(uint32_t task);
void cup_helper_wait_end(uint32_t task);

/* TASK's own thread begins to wait for a lock at NOW (ticks); that wait ends. The second function
 * returns how long its helpers waited in between. */
void cup_helper_wait_task_blocks(uint32_t task, uint64_t now);
struct cup_helper_wait cup_helper_wait_task_resumes(uint32_t task, uint64_t now);

/* A helper of TASK begins to wait; its wait ends. SINCE: what cup_helper_wait_enters() returned.
 * BUSY: ticks of the wait during which the helper used the CPU or waited for a CPU core. */
uint64_t cup_helper_wait_enters(uint32_t task, enum cup_wait_class class, uint64_t now);
void cup_helper_wait_leaves(uint32_t task, enum cup_wait_class class, uint64_t now, uint64_t since,
                            uint64_t busy);

/* A helper of TASK has waited for TICKS. For waits that are recognised only when they are over. */
void cup_helper_wait_waited(uint32_t task, enum cup_wait_class class, uint64_t ticks);

/* A row of the lifecycle table. */
void cup_helper_wait_reset(void);

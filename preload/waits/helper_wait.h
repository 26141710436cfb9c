/* What the helpers of a task wait for while the task itself waits for a lock. The task's wait is
 * then counted as theirs. If several helpers wait at a time, the first in the order of classes
 * counts: I/O, the GIL, sleep, sockets. */
#ifndef CUPPING_PRELOAD_WAITS_HELPER_WAIT_H
#define CUPPING_PRELOAD_WAITS_HELPER_WAIT_H

#include "include/log_format.h"

/* By class: how long at least one helper of a task waited so, in ticks. */
struct cup_helper_wait {
    uint64_t ticks[CUP_WAIT_COUNT];
};

/* TASK begins and ends. A task has no such times if another one runs whose number is a multiple of
 * the table's size away. */
void cup_helper_wait_begin(uint32_t task);
void cup_helper_wait_end(uint32_t task);

/* TASK's own thread begins to wait for a lock at NOW (ticks), and goes on. Unlock returns what its
 * helpers waited for in between. */
void cup_helper_wait_lock(uint32_t task, uint64_t now);
struct cup_helper_wait cup_helper_wait_unlock(uint32_t task, uint64_t now);

/* A helper of TASK begins to wait, and goes on. BUSY: ticks of that time in which it did not wait,
 * but used the CPU or waited for a core. SINCE: what enters() returned. */
uint64_t cup_helper_wait_enters(uint32_t task, enum cup_wait_class class, uint64_t now);
void cup_helper_wait_leaves(uint32_t task, enum cup_wait_class class, uint64_t now, uint64_t since,
                            uint64_t busy);

/* A helper of TASK has waited for so many ticks, which is known only afterwards. */
void cup_helper_wait_waited(uint32_t task, enum cup_wait_class class, uint64_t ticks);

/* A row of the lifecycle table. */
void cup_helper_wait_reset(void);

#endif

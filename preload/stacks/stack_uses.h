/* What a task did at which stacks: sums by task, stack and kind, written out as STACK_USE records
 * when the task ends, and every few seconds while it runs. */
#ifndef CUPPING_PRELOAD_STACKS_STACK_USES_H
#define CUPPING_PRELOAD_STACKS_STACK_USES_H

#include "include/log_format.h"

/* Adds to the sums of TASK at NODE (0: not known). Any thread, with the guard held; takes a short
 * lock of its own, never while others are held. What finds no room is counted as dropped. */
void cup_stack_use(uint32_t task, uint32_t node, enum cup_stack_use use, uint64_t count,
                   uint64_t bytes, uint64_t ns);

/* Adds NS to what was counted before, of a task that may have ended: of one that has a record is
 * written at once. */
void cup_stack_use_late(uint32_t task, uint32_t node, enum cup_stack_use use, uint64_t ns);

/* The task ended: its sums are written out. */
void cup_stack_uses_end(uint32_t task);

/* All that is there is written out: the process ends. */
void cup_stack_uses_flush(void);

/* A forked child has none. */
void cup_stack_uses_reset(void);

#endif

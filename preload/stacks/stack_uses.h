/* What a task did at which stacks: counts, bytes and nanoseconds, summed by task, stack and kind of
 * event. The sums are written as STACK_USE records when the task ends, and at intervals while it
 * runs. */
#pragma once

#include "include/log_format.h"

/* Adds COUNT, BYTES and NS to the sums of TASK at NODE (0: unknown stack). Any thread, with the
 * guard held. Takes a lock for a short time; the caller must hold no other lock. An event for which
 * there is no room is counted as dropped. */
void cup_stack_use(uint32_t task, uint32_t node, enum cup_stack_use use, uint64_t count,
                   uint64_t bytes, uint64_t ns);

/* Adds NS without counting an event. TASK may have ended (or have no
 * table, because too many tasks run): then a record is written at once. */
void cup_stack_use_late(uint32_t task, uint32_t node, enum cup_stack_use use, uint64_t ns);

/* No small rows are joined from now on, however many a process writes. Called once, before any
 * event. */
void cup_stack_uses_want_all(void);

/* Rows of the lifecycle table. The sums are written when their task ends, or the process. */
void cup_stack_uses_task_ended(uint32_t task);
void cup_stack_uses_process_ends(void);

/* A new log, or a forked child: there are no sums. */
void cup_stack_uses_reset(void);

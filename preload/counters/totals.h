/* Sums of tasks that a full log cannot hold one by one (struct cup_task_totals in log_format.h):
 * how many there were by prefix, and what they did. The log keeps a reserve for them, so a full
 * disk does not matter, and they are in the log itself, so a killed process loses none.
 *
 * Whether a task is summed up is decided when it begins. The functions below then take the records
 * that would be written of it. All functions: any thread, guard held. */
#pragma once

#include "include/log_format.h"

#include <stdbool.h>

/* True: the log is full, and the task that begins is summed up. */
bool cup_totals_begin(const struct cup_r_task_begin *begin);

/* These return false if the task of the record is not summed up: then the caller writes it. */
bool cup_totals_item(const struct cup_r_item *item);
bool cup_totals_chunk(const struct cup_r_chunk *chunk);
bool cup_totals_end(const struct cup_r_task_end *end);
bool cup_totals_void(uint32_t task);

/* END again, which was passed to cup_totals_end() before the size of the result was known. */
bool cup_totals_end_again(const struct cup_r_task_end *end);

/* Sets block->total of a block that opens for a task. From then on the block counts for the entry,
 * even if the process is killed before the block is closed. */
void cup_totals_open(struct cup_block *block);

/* Adds the counters of a block that closes to its entry. A block of a task with records, or of no
 * task, has none: then it counts for all tasks that are in no other entry, or for none. A block
 * that was added is CUP_BLOCK_MOVED. False: there are no sums, and nothing is added. */
bool cup_totals_add(struct cup_block *block);

/* A row of the lifecycle table. */
void cup_totals_reset(void);

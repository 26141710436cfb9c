/* Closed blocks of helpers, kept for a while before they are written out. About half a dozen
 * threads help a task, and blocks of the same task are merged: that makes a fifth of the records. A
 * pending block stays in the log's mapping, where a reader finds it if the process is killed. */
#ifndef CUPPING_PRELOAD_COUNTERS_PENDING_BLOCKS_H
#define CUPPING_PRELOAD_COUNTERS_PENDING_BLOCKS_H

#include "include/log_format.h"

#include <stdbool.h>

/* Takes a helper's BLOCK from its thread. True: it was merged into a pending block of the same task
 * and kind, and the caller frees it. False: it is pending now; the caller writes out and frees
 * *OUT, the block that made room for it (NULL: none). */
bool cup_pending_blocks_put(struct cup_block *block, struct cup_block **out);

/* No pending blocks: for cup_block_reset(). */
void cup_pending_blocks_reset(void);

#endif

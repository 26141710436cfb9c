/* Pending blocks: closed blocks of helpers, which are kept for a while before they are written.
 * About half a dozen threads help a task; blocks of the same task are merged, which leaves a fifth
 * of the records. A pending block stays in the log's mapping, where a reader finds it if the
 * process is killed. */
#ifndef CUPPING_PRELOAD_COUNTERS_PENDING_BLOCKS_H
#define CUPPING_PRELOAD_COUNTERS_PENDING_BLOCKS_H

#include "include/log_format.h"

#include <stdbool.h>

/* Takes a helper's BLOCK over from its thread. True: it was merged into a pending block of the same
 * task and kind; the caller must free BLOCK. False: BLOCK is pending now; the caller must write and
 * free *OUT, the block in whose place it is (NULL: none). */
bool cup_pending_blocks_put(struct cup_block *block, struct cup_block **out);

/* Drops all pending blocks without writing them. Called by cup_block_reset(). */
void cup_pending_blocks_reset(void);

#endif

/* Blocks of helpers that are done with a task, before they are written out: half a dozen threads
 * help a task, and one record for all of them is a fifth of as many records. They stay in the log's
 * mapping, where a reader finds them if the process is killed. */
#ifndef CUPPING_PRELOAD_COUNTERS_PENDING_BLOCKS_H
#define CUPPING_PRELOAD_COUNTERS_PENDING_BLOCKS_H

#include "include/log_format.h"

#include <stdbool.h>

/* Takes BLOCK, of a helper, from its thread. True: what stood in it was added to that of another
 * helper of the same task and kind, and it is to be freed. Else it is kept, and *OUT the one that
 * it pushes out, to be written and freed (NULL: none). */
bool cup_pending_blocks_put(struct cup_block *block, struct cup_block **out);

/* When a log is opened, and in a forked child. */
void cup_pending_blocks_reset(void);

#endif

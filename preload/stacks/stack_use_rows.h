/* Writes sums as rows of STACK_USE records: sorted, encoded as include/log_format.h describes, and
 * divided into records of at most 2 KiB. */
#ifndef CUPPING_PRELOAD_STACKS_STACK_USE_ROWS_H
#define CUPPING_PRELOAD_STACKS_STACK_USE_ROWS_H

#include <stddef.h>
#include <stdint.h>

/* What a task did at one stack, of one kind. */
struct cup_stack_sum {
    uint32_t node;
    uint16_t use;   /* enum cup_stack_use */
    uint16_t taken; /* not 0: an entry of the table in stack_uses.c is in use */
    uint64_t count, bytes, ns;
};

enum { CUP_STACK_USE_ROW_LONGEST = 36 }; /* bytes of one row */

/* Sorts SUMS and writes them as rows of TASK. Rows that do not fit into the log are counted as
 * dropped. Allocates nothing. */
void cup_stack_use_rows(uint32_t task, struct cup_stack_sum *sums, size_t count);

#endif

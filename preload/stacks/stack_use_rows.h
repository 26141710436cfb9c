/* Rows of STACK_USE records: put in order, coded as log_format.h says, and written a few KiB at a
 * time. */
#ifndef CUPPING_PRELOAD_STACKS_STACK_USE_ROWS_H
#define CUPPING_PRELOAD_STACKS_STACK_USE_ROWS_H

#include <stddef.h>
#include <stdint.h>

/* What was done at one stack. */
struct cup_stack_sum {
    uint32_t node;
    uint16_t use;   /* enum cup_stack_use */
    uint16_t taken; /* for who keeps them in a table: not 0 */
    uint64_t count, bytes, ns;
};

enum { CUP_STACK_USE_ROW_LONGEST = 36 }; /* bytes of one row */

/* Sorts SUMS, and writes them as TASK's. What the log has no room for is counted as dropped. */
void cup_stack_use_rows(uint32_t task, struct cup_stack_sum *sums, size_t count);

#endif

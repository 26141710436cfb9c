/* What a task did at its stacks, as rows for the log; and how rows are joined if there are too
 * many. */
#pragma once

#include "include/log_format.h"

#include <stddef.h>

enum cup_use_measure { CUP_USE_COUNT, CUP_USE_BYTES, CUP_USE_NS, CUP_USE_MEASURES };

/* What a task did at one stack, of one kind. */
struct cup_use_sum {
    uint32_t node;
    uint16_t use;   /* enum cup_stack_use */
    uint16_t taken; /* not 0: this entry of a table is used */
    uint64_t is[CUP_USE_MEASURES];
};

/* Sorts by node, then by use. */
void cup_use_sums_sort(struct cup_use_sum *sums, size_t count);

/* Adds up rows of the same node and use. Returns how many are left. SUMS are sorted. */
size_t cup_use_sums_unite(struct cup_use_sum *sums, size_t count);

/* Joins small rows of the same kind so that some WANTED rows are left. This is no bound: each group
 * keeps up to three rows, one for each measure, so nine times as many may be left. Rows of
 * CUP_USE_BRANCHES are not joined. Returns how many rows are left; they keep their order. SUMS are
 * sorted.
 *
 * Rows of a kind whose largest share of its count, bytes or time is small are put into groups of
 * neighbours. In each group one row is chosen for the group's count, one for its bytes and one for
 * its time, often the same, with a probability in proportion to what it has of that. It gets what
 * the whole group has. So the sums of each kind stay exact, and what a stack gets is right on
 * average. Adds to *GIVEN how many reads, writes and waits count at another stack now. */
size_t cup_use_sums_join(struct cup_use_sum *sums, size_t count, size_t wanted, uint64_t *given);

/* Writes a row of a STACK_USE record: one use of one node. See log_format.h. */
#pragma once

#include "include/log_format.h"
#include "include/log_pairs.h"

struct cup_stack_use_row {
    uint32_t node; /* 0: not known */
    uint32_t use;  /* enum cup_stack_use, CUP_USE_BRANCHES + a branch, or one that only newer
                      versions know */
    uint64_t count, bytes, ns;
};

enum { CUP_USE_ROW_LONGEST = 40 }; /* bytes */

/* Writes ROW at AT. BEFORE is the row written before it in the same record, NULL for the first row.
 * Rows come in the order of nodes, then of uses. Returns the number of bytes. */
static inline size_t cup_use_row_code(unsigned char *at, const struct cup_stack_use_row *row,
                                      const struct cup_stack_use_row *before)
{
    uint64_t follow = (row->count != 1 ? CUP_USE_ROW_COUNT : 0) |
                      (row->bytes ? CUP_USE_ROW_BYTES : 0) | (row->ns ? CUP_USE_ROW_NS : 0);
    size_t bytes = 0;
    if (before && before->node == row->node) {
        uint64_t step = row->use - before->use;
        bytes += cup_pairs_number(at, (step << 3 | follow) << 1 | CUP_USE_ROW_SAME);
    } else {
        uint64_t step = row->node - (before ? before->node : 0);
        bytes += cup_pairs_number(at, step << 1);
        bytes += cup_pairs_number(at + bytes, (uint64_t)row->use << 3 | follow);
    }
    if (follow & CUP_USE_ROW_COUNT)
        bytes += cup_pairs_number(at + bytes, row->count);
    if (follow & CUP_USE_ROW_BYTES)
        bytes += cup_pairs_number(at + bytes, row->bytes);
    if (follow & CUP_USE_ROW_NS)
        bytes += cup_pairs_number(at + bytes, row->ns);
    return bytes;
}

/* Writes a row of a CPU_SAMPLES record: successive samples that found a thread in the same state.
 * See log_format.h. */
#pragma once

#include "include/log_format.h"
#include "include/log_pairs.h"

#include <stdbool.h>

struct cup_cpu_run {
    uint32_t task, node;
    bool on_core;
    /* Times of the first and the last sample, in units of CUP_CPU_SAMPLES_NS from the start of
     * the record. */
    uint64_t first, last;
    uint64_t samples;
};

enum { CUP_CPU_ROW_LONGEST = 40 }; /* bytes */

/* Writes a row at AT. BEFORE is the row written before it in the same record, or all zeros for the
 * first row. Returns the number of bytes. */
static inline size_t cup_cpu_row_code(unsigned char *at, const struct cup_cpu_run *run,
                                      const struct cup_cpu_run *before)
{
    uint64_t task = cup_pairs_difference(run->task, before->task);
    uint64_t node = cup_pairs_difference(run->node, before->node);
    bool several = run->samples > 1;
    size_t bytes = 0;
    at[bytes++] =
        (unsigned char)((run->on_core ? CUP_CPU_ROW_ON : 0) | (task ? CUP_CPU_ROW_TASK : 0) |
                        (node ? CUP_CPU_ROW_NODE : 0) | (several ? CUP_CPU_ROW_SEVERAL : 0));
    bytes += cup_pairs_number(at + bytes, run->first - before->last);
    if (task)
        bytes += cup_pairs_number(at + bytes, task);
    if (node)
        bytes += cup_pairs_number(at + bytes, node);
    if (several) {
        bytes += cup_pairs_number(at + bytes, run->samples - 1);
        bytes += cup_pairs_number(at + bytes, run->last - run->first);
    }
    return bytes;
}

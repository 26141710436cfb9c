/* Which counters a call that moved bytes adds to: that depends on the kind of call, and on the
 * class of its descriptor. */
#ifndef CUPPING_PRELOAD_IO_TRANSFER_COUNTERS_H
#define CUPPING_PRELOAD_IO_TRANSFER_COUNTERS_H

#include "preload/counters/block.h"
#include "preload/io/transfer.h"

#include <stdbool.h>
#include <stdint.h>

/* Counts a call of any kind that has an owner. The arguments are those of cup_transfer_finish(),
 * and NS, the call's duration. Guard held. */
void cup_transfer_count(struct cup_transfer *transfer, uint64_t bytes, int64_t offset, uint64_t ns,
                        const void *to, int parts);

/* The same for a call that moved one character, and is not timed. */
void cup_transfer_count_character(struct cup_transfer *transfer);

/* There is a counter for the duration of this call. */
bool cup_transfer_is_timed(const struct cup_transfer *transfer);

/* A read of a file took NS. */
static inline void cup_transfer_count_duration(struct cup_block *block, uint64_t ns)
{
    block->histograms[CUP_HISTOGRAM_READ][cup_bucket(ns)]++;
    if (ns > block->counters[CUP_C_READ_LONGEST_NS])
        block->counters[CUP_C_READ_LONGEST_NS] = ns;
}

#endif

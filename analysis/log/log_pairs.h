/* The tails of COUNTERS and FILE_USE records: pairs (counter index, value) in unsigned LEB128. */
#ifndef CUPPING_LOG_PAIRS_H
#define CUPPING_LOG_PAIRS_H

#include <stddef.h>
#include <stdint.h>

/* Adds every value to sums[index]; indexes from `count` on, which only newer writers use, are
 * skipped. Stops at the tail's end, or where a number is cut or longer than 64 bits. Into zeros
 * each counter comes as it is, of whatever kind. */
void cup_pairs_add(const unsigned char *tail, size_t bytes, uint64_t *sums, unsigned count);

/* Likewise all that a COUNTERS record holds: the counters, and the buckets of its histograms, one
 * after the other (CUP_HISTOGRAM_COUNT * CUP_BUCKETS). */
void cup_block_pairs_add(const unsigned char *tail, size_t bytes, uint64_t *counters,
                         uint64_t *buckets);

/* Sets values[index] of each pair with an index below `count`; the others keep what they hold. */
void cup_pairs_set(const unsigned char *tail, size_t bytes, uint64_t *values, unsigned count);

#endif

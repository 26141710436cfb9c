/* The tails of COUNTERS and FILE_USE records: pairs (counter index, value) in unsigned LEB128. */
#ifndef CUPPING_ANALYSIS_LOG_LOG_PAIRS_H
#define CUPPING_ANALYSIS_LOG_LOG_PAIRS_H

#include <stdbool.h>
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

/* The next pair from *at on; false at the end, or where a number is cut or too long. */
bool cup_pairs_next(const unsigned char **at, const unsigned char *end, uint64_t *index,
                    uint64_t *value);

/* A row of the tail of a ROWS record. */
struct cup_row {
    uint64_t worker;
    unsigned kind; /* enum cup_row_kind, or one that only newer writers use */
    const unsigned char *pairs;
    size_t bytes;
};

/* The next row from *at on; false at the end, or where it is cut. */
bool cup_row_next(const unsigned char **at, const unsigned char *end, struct cup_row *row);

/* Sets values[index] of each pair with an index below `count`; the others keep what they hold. */
void cup_pairs_set(const unsigned char *tail, size_t bytes, uint64_t *values, unsigned count);

#endif

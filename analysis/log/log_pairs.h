/* Reads the pairs and rows in the tails of records. See log_format.h. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Adds each value to sums[index]. Indexes from COUNT on, which only newer versions use, are
 * skipped. Stops at the end of the tail, or at a number that is cut or longer than 64 bits. Returns
 * where the next file of a COUNTERS record begins; the end, if there is none. */
const unsigned char *cup_pairs_add(const unsigned char *tail, size_t bytes, uint64_t *sums,
                                   unsigned count);

/* Does the same for a COUNTERS record, which also has buckets: CUP_HISTOGRAM_COUNT * CUP_BUCKETS
 * of them, one histogram after the other. BUCKETS may be NULL. */
const unsigned char *cup_block_pairs_add(const unsigned char *tail, size_t bytes,
                                         uint64_t *counters, uint64_t *buckets);

/* Reads the FILE record of the file that begins at *AT, as these two return it; its pairs follow.
 * False: there is none. */
bool cup_file_next(const unsigned char **at, const unsigned char *end, uint64_t *file);

/* Reads the next pair at *at. False at the end, or at a number that is cut or too long. */
bool cup_pairs_next(const unsigned char **at, const unsigned char *end, uint64_t *index,
                    uint64_t *value);

/* Does the same for a tail that may end with a list of buckets: their indexes are from
 * CUP_PAIR_BUCKETS on, as in logs that have no such list. *LIST is 0 before the first call. */
bool cup_pairs_next_listed(const unsigned char **at, const unsigned char *end, uint64_t *index,
                           uint64_t *value, uint64_t *list);

/* A row of a ROWS record. */
struct cup_row {
    uint64_t worker;
    unsigned kind; /* enum cup_row_kind, or one that only newer versions know */
    const unsigned char *pairs;
    size_t bytes;
};

/* Reads the next row at *at. False at the end, or at a row that is cut. */
bool cup_row_next(const unsigned char **at, const unsigned char *end, struct cup_row *row);

/* Sets values[index] of each pair with an index below COUNT; the other values stay. Buckets are
 * left out. */
void cup_pairs_set(const unsigned char *tail, size_t bytes, uint64_t *values, unsigned count);

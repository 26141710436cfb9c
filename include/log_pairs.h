/* Encodes the tails of records (log_format.h): unsigned LEB128 numbers, and pairs of an index and
 * a value. The functions that write return the number of bytes. */
#pragma once

#include "include/log_format.h"

#include <stddef.h>
#include <string.h>

enum { CUP_PAIR_LONGEST = 12 }; /* bytes of a pair whose index is below 16384 */

/* Writes one number, in at most 10 bytes. */
static inline size_t cup_pairs_number(unsigned char *at, uint64_t number)
{
    size_t bytes = 0;
    do {
        at[bytes++] = (unsigned char)((number & 0x7f) | (number > 0x7f ? 0x80 : 0));
        number >>= 7;
    } while (number);
    return bytes;
}

/* Writes a pair for each value that is known (not CUP_UNKNOWN64). The index of values[0] is FIRST.
 */
static inline size_t cup_pairs_known(unsigned char *at, const uint64_t *values, uint32_t count,
                                     uint32_t first)
{
    size_t bytes = 0;
    for (uint32_t i = 0; i < count; i++) {
        if (values[i] == CUP_UNKNOWN64)
            continue;
        bytes += cup_pairs_number(at + bytes, first + i);
        bytes += cup_pairs_number(at + bytes, values[i]);
    }
    return bytes;
}

/* The same for each value other than 0. */
static inline size_t cup_pairs_nonzero(unsigned char *at, const uint64_t *values, uint32_t count)
{
    size_t bytes = 0;
    for (uint32_t i = 0; i < count; i++) {
        if (!values[i])
            continue;
        bytes += cup_pairs_number(at + bytes, i);
        bytes += cup_pairs_number(at + bytes, values[i]);
    }
    return bytes;
}

enum {
    CUP_BUCKET_LONGEST = 7, /* bytes of one bucket in a list of fewer than 2,048 */
    CUP_LIST_LONGEST = 6    /* bytes of the list's begin and end */
};
#define CUP_NO_BUCKET UINT32_MAX

/* Writes a bucket with a COUNT, as the next one of a record's list (log_format.h). Buckets come in
 * their order; *BEFORE is CUP_NO_BUCKET at first. */
static inline size_t cup_pairs_bucket(unsigned char *at, uint32_t *before, uint32_t bucket,
                                      uint32_t count)
{
    size_t bytes = 0;
    if (*before == CUP_NO_BUCKET) {
        bytes += cup_pairs_number(at, CUP_PAIR_LIST);
        bytes += cup_pairs_number(at + bytes, bucket);
        *before = bucket;
    }
    bytes +=
        cup_pairs_number(at + bytes, 8 * (uint64_t)(bucket - *before) + (count < 8 ? count : 0));
    if (count >= 8)
        bytes += cup_pairs_number(at + bytes, count);
    *before = bucket;
    return bytes;
}

/* Ends the list, if something follows. */
static inline size_t cup_pairs_list_end(unsigned char *at)
{
    at[0] = at[1] = 0;
    return 2;
}

/* The difference modulo 2^64, encoded as a small number if it is small, whatever its sign: n as 2n,
 * -n as 2n - 1. */
static inline uint64_t cup_pairs_difference(uint64_t value, uint64_t old)
{
    uint64_t difference = value - old;
    return difference << 1 ^ (difference >> 63 ? UINT64_MAX : 0);
}

/* Decodes such a difference: returns the new value. */
static inline uint64_t cup_pairs_undo(uint64_t difference, uint64_t old)
{
    return old + (difference >> 1 ^ (difference & 1 ? UINT64_MAX : 0));
}

/* Writes a pair for each value that changed: its index, and the difference to the old value. The
 * index of values[0] is FIRST. */
static inline size_t cup_pairs_changed(unsigned char *at, const uint64_t *values,
                                       const uint64_t *old, uint32_t count, uint32_t first)
{
    size_t bytes = 0;
    for (uint32_t i = 0; i < count; i++) {
        if (values[i] == old[i])
            continue;
        bytes += cup_pairs_number(at + bytes, first + i);
        bytes += cup_pairs_number(at + bytes, cup_pairs_difference(values[i], old[i]));
    }
    return bytes;
}

/* Adds padding up to a multiple of CUP_PAIRS_UNIT bytes, as a record's tail needs it. Returns how
 * many bytes there are then. */
enum { CUP_PAIRS_UNIT = 8 };
static inline size_t cup_pairs_pad(unsigned char *pairs, size_t bytes)
{
    size_t added = -bytes % CUP_PAIRS_UNIT;
    memset(pairs + bytes, CUP_PAIR_PADDING, added);
    return bytes + added;
}

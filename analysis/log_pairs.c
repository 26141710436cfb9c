/* Most of the time of a large report is spent here: a million tasks have some eighty million pairs.
 * The lengths of numbers cannot be guessed by a processor, so the fast way has no branch on each
 * byte: it finds where numbers end for up to 64 bytes at once, then fetches each as one word. */
#include "analysis/log_pairs.h"

#include <string.h>

#include "preload/log_format.h"

/* ---- one byte after the other: anywhere, any length ------------------------------------- */

/* Reads one number at *at; returns 0, or -1 where it is cut or too long. */
static int read_number(const unsigned char **at, const unsigned char *end, uint64_t *number)
{
    uint64_t value = 0;
    for (unsigned shift = 0; *at < end && shift < 64; shift += 7) {
        unsigned char byte = *(*at)++;
        value |= (uint64_t)(byte & 0x7f) << shift;
        if (!(byte & 0x80)) {
            *number = value;
            return 0;
        }
    }
    return -1;
}

/* Adds one pair, or passes one byte of padding. Returns where to go on; NULL: nowhere. */
static const unsigned char *add_pair(const unsigned char *at, const unsigned char *end,
                                     uint64_t *sums, unsigned count)
{
    uint64_t index, value;
    if (read_number(&at, end, &index) != 0)
        return NULL;
    if (index == CUP_PAIR_PADDING)
        return at;
    if (read_number(&at, end, &value) != 0)
        return NULL;
    if (index < count)
        sums[index] += value;
    return at;
}

/* ---- many at once: little-endian machines ----------------------------------------------- */

static inline uint64_t word_at(const unsigned char *at)
{
    uint64_t word;
    memcpy(&word, at, sizeof word);
    return word;
}

static inline int is_little_endian(void)
{
    static const unsigned char bytes[8] = {1};
    return word_at(bytes) == 1;
}

/* Bit i: a number ends in byte i of the `bytes` (up to 64) that begin at `at`. */
static inline uint64_t ends_of_numbers(const unsigned char *at, size_t bytes)
{
    uint64_t ends = 0;
    for (size_t i = 0; i < bytes; i += 8) {
        uint64_t last = ~word_at(at + i) >> 7 & UINT64_C(0x0101010101010101);
        ends |= (last * UINT64_C(0x0102040810204080) >> 56) << i;
    }
    return bytes < 64 ? ends & ((UINT64_C(1) << bytes) - 1) : ends;
}

/* The lower 7 bits of each byte, joined: in pairs of bytes, then of pairs, then of fours. */
static inline uint64_t join_sevens(uint64_t word)
{
    word = (word & UINT64_C(0x007f007f007f007f)) | (word & UINT64_C(0x7f007f007f007f00)) >> 1;
    word = (word & UINT64_C(0x00003fff00003fff)) | (word & UINT64_C(0x3fff00003fff0000)) >> 2;
    return (word & UINT64_C(0x000000000fffffff)) | (word & UINT64_C(0x0fffffff00000000)) >> 4;
}

/* Takes the lowest bit away; returns its position. */
static inline unsigned take_lowest(uint64_t *bits)
{
    unsigned position = (unsigned)__builtin_ctzll(*bits);
    *bits &= *bits - 1;
    return position;
}

/* Adds pairs until one is not plain: one byte of index, no padding, up to 8 bytes of value, all
 * within the next 64 bytes. Returns how many bytes they take. */
static inline size_t add_plain_pairs(const unsigned char *at, size_t bytes, uint64_t *sums,
                                     unsigned count)
{
    size_t done = 0;
    uint64_t ends = ends_of_numbers(at, bytes < 64 ? bytes : 64);
    while (ends & (ends - 1)) {
        unsigned index_end = take_lowest(&ends), value_end = take_lowest(&ends);
        size_t spare = 8 - (value_end - index_end);
        if (index_end != done || at[done] == CUP_PAIR_PADDING || spare > 7)
            break;
        uint64_t word = word_at(at + done + 1) & ~UINT64_C(0) >> 8 * spare;
        if (at[done] < count)
            sums[at[done]] += join_sevens(word);
        done = value_end + 1;
    }
    return done;
}

void cup_pairs_add(const unsigned char *tail, size_t bytes, uint64_t *sums, unsigned count)
{
    const unsigned char *end = tail + bytes;
    while (tail && tail < end) {
        size_t done =
            is_little_endian() ? add_plain_pairs(tail, (size_t)(end - tail), sums, count) : 0;
        tail = done ? tail + done : add_pair(tail, end, sums, count);
    }
}

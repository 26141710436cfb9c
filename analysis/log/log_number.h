/* Reads unsigned LEB128 numbers, as in the tails of records. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Reads a number at *at and moves *at behind it. False if END cuts it, or if it has over 64 bits.
 */
static inline bool cup_number_checked(const unsigned char **at, const unsigned char *end,
                                      uint64_t *number)
{
    uint64_t value = 0;
    for (unsigned shift = 0; *at < end && shift < 64; shift += 7) {
        unsigned char byte = *(*at)++;
        if (shift == 63 && byte > 1)
            return false;
        value |= (uint64_t)(byte & 0x7f) << shift;
        if (!(byte & 0x80)) {
            *number = value;
            return true;
        }
    }
    return false;
}

/* Decodes the number that begins at the lowest byte of WORD. Returns its length in bytes, 0 if that
 * is above MOST, which is at most 5. Unrolled: each length has a branch of its own, which the CPU
 * learns to predict, because numbers at the same place of a row have similar lengths. */
static inline __attribute__((always_inline)) unsigned cup_number_in(uint64_t word, unsigned most,
                                                                    uint64_t *number)
{
    uint64_t value = 0;
#define STEP(n)                                                                                    \
    if ((n) < most) {                                                                              \
        value |= word >> (n)&UINT64_C(0x7f) << 7 * (n);                                            \
        if (!(word & UINT64_C(0x80) << 8 * (n))) {                                                 \
            *number = value;                                                                       \
            return (n) + 1;                                                                        \
        }                                                                                          \
    }
    STEP(0)
    STEP(1)
    STEP(2)
    STEP(3)
    STEP(4)
#undef STEP
    return 0;
}

/* Does the same as cup_number_checked(), but faster for numbers of one to four bytes, which are the
 * usual ones. */
static inline __attribute__((always_inline)) bool
cup_number_next(const unsigned char **at, const unsigned char *end, uint64_t *number)
{
    uint32_t word;
    if (end - *at < (ptrdiff_t)sizeof word)
        return cup_number_checked(at, end, number);
    memcpy(&word, *at, sizeof word);
    unsigned bytes = cup_number_in(word, sizeof word, number);
    *at += bytes;
    return bytes || cup_number_checked(at, end, number);
}

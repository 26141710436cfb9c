/* Reads unsigned LEB128 numbers, as in the tails of records. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

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

/* Does the same as cup_number_checked(), but faster for numbers of one to three bytes, which are
 * the usual ones. */
static inline bool cup_number_next(const unsigned char **at, const unsigned char *end,
                                   uint64_t *number)
{
    const unsigned char *p = *at;
    if (end - p < 3)
        return cup_number_checked(at, end, number);
    if (p[0] < 0x80) {
        *number = p[0];
        *at = p + 1;
    } else if (p[1] < 0x80) {
        *number = (p[0] & 0x7fu) | (unsigned)p[1] << 7;
        *at = p + 2;
    } else if (p[2] < 0x80) {
        *number = (p[0] & 0x7fu) | (p[1] & 0x7fu) << 7 | (unsigned)p[2] << 14;
        *at = p + 3;
    } else {
        return cup_number_checked(at, end, number);
    }
    return true;
}

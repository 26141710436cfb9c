/* Packs the fixed part of a record, and unpacks it: see CUP_FIXED_PACKED in log_format.h. */
#pragma once

#include "include/log_format.h"

#include <stddef.h>
#include <string.h>

enum { CUP_FIXED_GROUP = 4 /* words that share a byte of sizes */ };

/* How a word is stored: 0: not at all, because it is 0; 1: as one byte; 2: as two; 3: as four. */
static inline unsigned cup_fixed_size(uint32_t word)
{
    return (word > 0) + (word > 0xff) + (word > 0xffff);
}

/* Packs COUNT words; AT has room for 5 bytes for each. Returns how many they take. */
static inline size_t cup_fixed_pack(unsigned char *at, const void *words, size_t count)
{
    unsigned char *sizes = at, *to = at;
    for (size_t i = 0; i < count; i++) {
        uint32_t word;
        memcpy(&word, (const char *)words + i * sizeof word, sizeof word);
        if (i % CUP_FIXED_GROUP == 0)
            *(sizes = to++) = 0;
        unsigned size = cup_fixed_size(word), bytes = size == 3 ? 4 : size;
        *sizes |= (unsigned char)(size << 2 * (i % CUP_FIXED_GROUP));
        for (unsigned k = 0; k < bytes; k++)
            *to++ = (unsigned char)(word >> 8 * k);
    }
    return (size_t)(to - at);
}

/* Unpacks COUNT words from BYTES bytes; words that are not there are 0. The memory up to READABLE
 * bytes from AT on (at least BYTES) may be read. */
static inline void cup_fixed_unpack(const unsigned char *at, size_t bytes, size_t readable,
                                    void *words, size_t count)
{
    static const uint32_t masks[] = {0, 0xff, 0xffff, UINT32_MAX};
    static const unsigned char lengths[] = {0, 1, 2, 4};
    enum { LONGEST = 1 + CUP_FIXED_GROUP * sizeof(uint32_t) };
    const unsigned char *end = at + bytes, *last = at + readable;
    unsigned char group[LONGEST];
    size_t i = 0;
    while (i < count && at < end) {
        const unsigned char *from = at + 1;
        if (last - at < LONGEST) {
            memset(group, 0, sizeof group);
            memcpy(group, at, (size_t)(last - at));
            from = group + 1;
        }
        const unsigned char *first = from;
        for (unsigned sizes = *at, k = 0; k < CUP_FIXED_GROUP && i < count; k++, sizes >>= 2) {
            uint32_t word;
            memcpy(&word, from, sizeof word);
            word &= masks[sizes & 3];
            memcpy((char *)words + i++ * sizeof word, &word, sizeof word);
            from += lengths[sizes & 3];
        }
        at += 1 + (from - first);
    }
    if (i < count)
        memset((char *)words + i * sizeof(uint32_t), 0, (count - i) * sizeof(uint32_t));
}

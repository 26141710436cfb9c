/* Records whose fixed part is packed, for tests that read the library's log themselves. */
#pragma once

#include <criterion/criterion.h>

#include <string.h>

#include "include/packed_fixed.h"

/* RECORD as it would be without packing: the same, or a copy that stays until 16 further calls. */
static inline const struct cup_record *test_unpacked(const struct cup_record *record)
{
    static _Alignas(8) char copies[16][1 << 15];
    static unsigned next;
    static const uint16_t fixed_bytes[] = {
#define X(NAME, name, number, bytes, least, tail) [number] = (bytes),
        CUP_RECORDS(X)
#undef X
    };
    if (!record || !(record->fixed & CUP_FIXED_PACKED))
        return record;
    char *copy = copies[next++ % 16];
    struct cup_record *head = (struct cup_record *)copy;
    size_t packed = record->fixed & ~(unsigned)CUP_FIXED_PACKED, head_bytes = sizeof *head;
    size_t fixed = fixed_bytes[record->type], tail = record->length - packed;
    cr_assert_leq(fixed + tail, sizeof copies[0]);
    *head = (struct cup_record){(uint32_t)(fixed + tail), record->type, (uint16_t)fixed};
    cup_fixed_unpack((const unsigned char *)(record + 1), packed - head_bytes,
                     record->length - head_bytes, copy + head_bytes,
                     (fixed - head_bytes) / sizeof(uint32_t));
    memcpy(copy + fixed, (const char *)record + packed, tail);
    return head;
}

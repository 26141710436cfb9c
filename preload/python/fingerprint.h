/* What tells a code object from another one that lay at its address before. The addresses of what
 * it consists of would not do: name and line table of a freed one give their places to the next
 * one's.
 */
#ifndef CUPPING_PRELOAD_PYTHON_FINGERPRINT_H
#define CUPPING_PRELOAD_PYTHON_FINGERPRINT_H

#include "preload/python/code_text.h"
#include "preload/python/layout.h"
#include "preload/sys/id_table.h"

#include <string.h>

static inline const char *cup_code_word(const char *at)
{
    const char *word;
    memcpy(&word, at, sizeof word);
    return word;
}

static inline uint32_t cup_code_half(const char *at)
{
    uint32_t half;
    memcpy(&half, at, sizeof half);
    return half;
}

static inline uint64_t cup_code_bits(const char *at)
{
    return (uintptr_t)cup_code_word(at);
}

static inline uint64_t cup_code_turned(uint64_t bits, int by)
{
    return bits << by | bits >> (64 - by);
}

/* The first 16 bytes and the last 8 of a line table, or of what a copy holds of it. Of a short one
 * those before the first are shifted out. */
static inline uint64_t cup_code_sum_table(const char *data, uint64_t length)
{
    const uint64_t most = CUP_TABLE_COPY - 32;
    uint64_t last = cup_code_bits(data + (length < most ? length : most) - 8);
    if (__builtin_expect(length < 16, 0))
        return length >= 8 ? cup_code_bits(data) ^ cup_code_turned(last, 19)
                           : (length ? last >> 8 * (8 - length) : 0);
    return cup_code_bits(data) ^ cup_code_turned(cup_code_bits(data + 8), 41) ^
           cup_code_turned(last, 19);
}

/* Before 3.12, and for code objects beyond the four thousand millionth. What it cannot tell apart
 * has one name, file, first line and size, and a line table that differs in the middle at most. */
static inline uint64_t cup_code_fingerprint_of_text(const struct cup_layout *layout,
                                                    const char *code, const char *name,
                                                    const char *table)
{
    /* Behind the object's type: 3.11 of its code, before of its arguments, the first byte of each
     * of two halves. The length of a line table takes the place that they leave. */
    enum { SIZES = 16, LENGTH_BITS = 40 };
    uint64_t length = cup_code_bits(table + layout->bytes_length);
    uint64_t hash = cup_code_bits(name + layout->text_hash);
    if (__builtin_expect(hash == UINT64_MAX, 0))
        hash = cup_code_hash_characters(name);
    hash += cup_code_half(code + layout->code_first_line);
    hash ^= cup_code_turned(cup_code_bits(code + layout->code_file), 13);
    hash ^= cup_code_turned(cup_code_bits(code + SIZES) + (length << LENGTH_BITS), 37);
    return hash +
           cup_code_sum_table(table + layout->bytes_data, length) * UINT64_C(0x9e3779b97f4a7c15);
}

/* By LAYOUT, which is the running interpreter's. */
static inline uint64_t cup_code_fingerprint_by(const struct cup_layout *layout, const char *code,
                                               const char *name, const char *table)
{
    uint32_t version =
        layout->code_version == CUP_NOWHERE ? 0 : cup_code_half(code + layout->code_version);
    if (!version)
        return cup_code_fingerprint_of_text(layout, code, name, table);
    return (uint64_t)cup_code_half(code + layout->code_first_line) << 32 | version;
}

/* Of one that is there, in one piece. */
static inline uint64_t cup_code_fingerprint_whole(const struct cup_layout *layout, const char *code)
{
    return cup_code_fingerprint_by(layout, code, cup_code_word(code + layout->code_name),
                                   cup_code_word(code + layout->code_table));
}

static inline uint64_t cup_code_fingerprint_of(const char *code)
{
    return cup_code_fingerprint_whole(&cup_layout, code);
}

#endif

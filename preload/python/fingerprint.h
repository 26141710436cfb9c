/* The fingerprint of a code object: distinguishes it from another one that was at the same address
 * before. The addresses of its parts do not suffice: when a code object is freed and a new one is
 * made, its name and line table often get the old addresses too. */
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

static inline uint64_t cup_code_rotate(uint64_t bits, int by)
{
    return bits << by | bits >> (64 - by);
}

/* Hashes the first 16 and the last 8 bytes of a line table, or of the part of it that a copy holds.
 * The last 8 bytes of a table shorter than that begin in the header of the bytes object; the bytes
 * of the header are shifted out. */
static inline uint64_t cup_code_sum_table(const char *data, uint64_t length)
{
    const uint64_t most = CUP_TABLE_COPY - 32;
    uint64_t last = cup_code_bits(data + (length < most ? length : most) - 8);
    if (__builtin_expect(length < 16, 0))
        return length >= 8 ? cup_code_bits(data) ^ cup_code_rotate(last, 19)
                           : (length ? last >> 8 * (8 - length) : 0);
    return cup_code_bits(data) ^ cup_code_rotate(cup_code_bits(data + 8), 41) ^
           cup_code_rotate(last, 19);
}

/* The fingerprint of a code object without a version number: before 3.12, and after the interpreter
 * has used up all 2^32 version numbers. It cannot distinguish two code objects with the same name,
 * file, first line, sizes, and line tables that differ only in the middle. */
static inline uint64_t cup_code_fingerprint_of_text(const struct cup_layout *layout,
                                                    const char *code, const char *name,
                                                    const char *table)
{
    /* The word at SIZES, behind ob_type, holds small numbers: in 3.11 the size of the code, before
     * that the numbers of arguments. The line table's length is added above them. */
    enum { SIZES = 16, LENGTH_BITS = 40 };
    uint64_t length = cup_code_bits(table + layout->bytes_length);
    uint64_t hash = cup_code_bits(name + layout->text_hash);
    if (__builtin_expect(hash == UINT64_MAX, 0))
        hash = cup_code_hash_characters(name);
    hash += cup_code_half(code + layout->code_first_line);
    hash ^= cup_code_rotate(cup_code_bits(code + layout->code_file), 13);
    hash ^= cup_code_rotate(cup_code_bits(code + SIZES) + (length << LENGTH_BITS), 37);
    return hash +
           cup_code_sum_table(table + layout->bytes_data, length) * UINT64_C(0x9e3779b97f4a7c15);
}

/* LAYOUT must be the running interpreter's. */
static inline uint64_t cup_code_fingerprint_by(const struct cup_layout *layout, const char *code,
                                               const char *name, const char *table)
{
    uint32_t version =
        layout->code_version == CUP_NOWHERE ? 0 : cup_code_half(code + layout->code_version);
    if (!version)
        return cup_code_fingerprint_of_text(layout, code, name, table);
    return (uint64_t)cup_code_half(code + layout->code_first_line) << 32 | version;
}

/* The fingerprint of a code object itself (not of a copy): follows its pointers to its name and its
 * line table. */
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

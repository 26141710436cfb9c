/* The fields of a Python frame and of its code object, by the verified layout. FRAME may be a frame
 * of the calling thread or a copy of another thread's frame. None of these need the GIL.
 *
 * LAYOUT is &cup_layout, or a constant of which the caller knows that it is the running
 * interpreter's: that is faster. */
#pragma once

#include "include/log_format.h"
#include "preload/python/code_text.h"
#include "preload/python/layout.h"
#include "preload/python/python.h"
#include "preload/sys/id_table.h"

#include <stdint.h>
#include <string.h>

extern const void *cup_stack_code_type CUP_OURS; /* PyCode_Type */

/* Verifies the layout of frames, code objects, str and bytes on the current stack. Needs the GIL
 * and a Python frame. Returns NULL, or what is not as expected. */
const char *cup_stack_layout_verify(void);

/* Afterwards: which optional fields are not as expected; NULL: none. Without them stacks are read
 * more slowly. */
const char *cup_stack_layout_lacks(void);

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

/* ---- frames ------------------------------------------------------------------------------- */

/* In 3.11 a frame still exists while the last reference to its code object is dropped, so its
 * pointer may lead to an object that is being freed: the reference count (not 0) and the type are
 * checked. */
static inline bool cup_stack_is_code(const char *object)
{
    return object && cup_code_word(object) && cup_code_word(object + 8) == cup_stack_code_type;
}

static inline bool cup_stack_is_from_c(const struct cup_layout *layout, const char *frame)
{
    return layout->frame_owner != CUP_NOWHERE && frame[layout->frame_owner] >= CUP_FRAME_FROM_C;
}

/* The object that a frame refers to. Since 3.14 the low bits of a reference are flags. */
static inline const char *cup_stack_referent(const char *reference)
{
    return (const char *)((uintptr_t)reference & ~(uintptr_t)7);
}

/* The code object that the frame runs; NULL: an entry from C. */
static inline const char *cup_stack_code_of(const struct cup_layout *layout, const char *frame)
{
    if (cup_stack_is_from_c(layout, frame))
        return NULL;
    const char *code = cup_stack_referent(cup_code_word(frame + layout->frame_code));
    return cup_stack_is_code(code) ? code : NULL;
}

static inline const char *cup_stack_back_of(const struct cup_layout *layout, const char *frame)
{
    return cup_code_word(frame + layout->frame_back);
}

/* A number that identifies the instruction in the process, as long as its code object exists. */
static inline uint64_t cup_stack_place_of(const struct cup_layout *layout, const char *frame,
                                          const char *code)
{
    const char *at = frame + layout->frame_place;
    if (layout->code_instructions == CUP_NOWHERE)
        return (uintptr_t)code ^ (uint64_t)cup_code_half(at) << 44;
    return cup_code_bits(at);
}

/* Since 3.13, calling a class creates a shim frame, whose code object is no function of the
 * program: its name and its file are the same str object, "__init__". They are the same in some
 * functions, too: compile("def f(): ...", "f", "exec"). */
static inline bool cup_stack_may_be_shim(const char *code)
{
    return cup_layout.frame_owner != CUP_NOWHERE &&
           cup_code_word(code + cup_layout.code_name) == cup_code_word(code + cup_layout.code_file);
}

/* CHARACTERS: the word at text_ascii of a str of CUP_INIT_LENGTH characters. */
enum { CUP_INIT_LENGTH = 8 };
static inline bool cup_stack_is_init(uint64_t characters)
{
    return memcmp(&characters, "__init__", CUP_INIT_LENGTH) == 0;
}

static inline bool cup_stack_is_shim(const char *code)
{
    const char *name = cup_code_word(code + cup_layout.code_name);
    return cup_stack_may_be_shim(code) &&
           cup_code_bits(name + cup_layout.text_length) == CUP_INIT_LENGTH &&
           cup_stack_is_init(cup_code_bits(name + cup_layout.text_ascii));
}

/* True if the frame is the outermost one that its call of _PyEval_EvalFrameDefault executes.
 * Before 3.11 each frame has a call of its own; in 3.11 the frame has a flag (is_entry); since 3.12
 * the caller of such a frame is an entry from C. */
static inline bool cup_stack_is_entry(const char *frame)
{
    enum { IS_ENTRY = 36 }; /* from frame_code. Not verified: merge_frames.h checks the counts */
    if (cup_py.minor < 11)
        return true;
    if (cup_py.minor == 11)
        return frame[cup_layout.frame_code + IS_ENTRY];
    const char *back = cup_stack_back_of(&cup_layout, frame);
    return back && cup_stack_is_from_c(&cup_layout, back);
}

/* The offset of the instruction in the code, in bytes; CUP_AT_UNKNOWN: the function has not
 * begun. */
static inline uint32_t cup_stack_offset_of(const char *frame, const char *code)
{
    const char *at = frame + cup_layout.frame_place;
    if (cup_layout.code_instructions == CUP_NOWHERE) {
        int32_t last = (int32_t)cup_code_half(at);
        return last < 0 ? CUP_AT_UNKNOWN : (uint32_t)last * (cup_py.minor < 10 ? 1 : 2);
    }
    uint64_t offset = cup_code_bits(at) - (uintptr_t)code - cup_layout.code_instructions;
    return offset < INT32_MAX ? (uint32_t)offset : CUP_AT_UNKNOWN;
}

/* ---- fingerprints ------------------------------------------------------------------------- */

/* The fingerprint distinguishes a code object from another one that was at the same address before.
 * The addresses of its parts do not suffice: when a code object is freed and a new one is made, its
 * name and line table often get the old addresses too.
 *
 * CODE may be a copy of the object's first CUP_CODE_COPY bytes, NAME (its co_name) a copy of
 * CUP_NAME_COPY bytes and TABLE (its line table) a copy of CUP_TABLE_COPY bytes, or the whole
 * object where that is shorter. NAME and TABLE are not read where code objects have a version
 * number. */
enum { CUP_CODE_COPY = 144, CUP_NAME_COPY = 128, CUP_TABLE_COPY = 128 };

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

static inline uint64_t cup_code_fingerprint(const struct cup_layout *layout, const char *code,
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
static inline uint64_t cup_code_fingerprint_of(const struct cup_layout *layout, const char *code)
{
    return cup_code_fingerprint(layout, code, cup_code_word(code + layout->code_name),
                                cup_code_word(code + layout->code_table));
}

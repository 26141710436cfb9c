/* Offsets, in bytes, of the fields of CPython's internal structures that cupping reads directly, as
 * offsetof() prints them with each version's internal headers. They are verified against the C API
 * of the running interpreter before they are used. */
#pragma once

#include "preload/sys/library_variable.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    CUP_NOWHERE = ~0u,     /* this version has no such field */
    CUP_FRAME_FROM_C = 3,  /* least owner of a frame that is an entry from C: runs no Python code */
    CUP_TEXT_COMPACT = 32, /* flag in a str's state: the characters follow the object, */
    CUP_TEXT_ASCII = 64,   /* flag: they are ASCII and begin at text_ascii; else at text_other */
    CUP_TEXT_KIND = 2,     /* shift of the 3 bits that give the bytes per character */
};

/* thread_*, frame_* and code_name are verified by cup_frames_verify(), all others and thread_chunk
 * by cup_stacks_verify(). They set thread_chunk, frame_place and code_version to CUP_NOWHERE if
 * their verification fails.
 *
 * thread_frame     pointer to the current frame; 3.11, 3.12: to a _PyCFrame, in which
 * thread_indirect  is the pointer to the current frame
 * thread_chunk     the chunk of the data stack that frames lie on:
 *                  struct { previous; size_t size in bytes; ...; frames }
 * frame_code       in 3.14 the low bits are flags
 * frame_back       the caller's frame
 * frame_variables  the first local variable
 * frame_owner      a byte
 * frame_place      the instruction: a pointer; 3.9: an int, in bytes; 3.10: an int, in units of
 *                  two bytes
 * code_label       co_qualname; before 3.11 co_name
 * code_first_line  an int
 * code_table       bytes: co_linetable; 3.9 co_lnotab
 * code_version     uint32_t, different for each code object (or 0: none)
 * code_instructions  the first instruction */
/* clang-format off */
#define NONE CUP_NOWHERE
#define CUP_OFFSETS(X)                                                                             \
    /* Python               3.9   3.10   3.11   3.12   3.13 */                                     \
    X(thread_frame,        24,    24,    56,    56,    72)                                         \
    X(thread_indirect,   NONE,  NONE,     8,     0,  NONE)                                         \
    X(thread_chunk,      NONE,  NONE,   296,   232,   232)                                         \
    X(frame_code,          32,    32,    32,     0,     0)                                         \
    X(frame_back,          24,    24,    48,     8,     8)                                         \
    X(frame_variables,    360,   352,    72,    72,    72)                                         \
    X(frame_owner,       NONE,  NONE,  NONE,    70,    70)                                         \
    X(frame_place,        104,    96,    56,    56,    56)                                         \
    X(code_name,          112,   112,   120,   120,   120)                                         \
    X(code_label,         112,   112,   128,   128,   128)                                         \
    X(code_file,          104,   104,   112,   112,   112)                                         \
    X(code_first_line,     40,    40,    72,    68,    68)                                         \
    X(code_table,         120,   120,   136,   136,   136)                                         \
    X(code_version,      NONE,  NONE,  NONE,    92,    92)                                         \
    X(code_instructions, NONE,  NONE,   184,   192,   200)                                         \
    X(text_length,         16,    16,    16,    16,    16)                                         \
    X(text_hash,           24,    24,    24,    24,    24)                                         \
    X(text_state,          32,    32,    32,    32,    32)                                         \
    X(text_ascii,          48,    48,    48,    40,    40)                                         \
    X(text_other,          72,    72,    72,    56,    56)                                         \
    X(bytes_length,        16,    16,    16,    16,    16)                                         \
    X(bytes_data,          32,    32,    32,    32,    32)
/* clang-format on */

struct cup_layout {
#define X(field, ...) size_t field;
    CUP_OFFSETS(X)
#undef X
};

/* Constants, so that a loop over frames can be compiled for one version, without loading offsets.
 */
#define CUP_OF_9(field, of_9, of_10, of_11, of_12, of_13) .field = of_9,
#define CUP_OF_10(field, of_9, of_10, of_11, of_12, of_13) .field = of_10,
#define CUP_OF_11(field, of_9, of_10, of_11, of_12, of_13) .field = of_11,
#define CUP_OF_12(field, of_9, of_10, of_11, of_12, of_13) .field = of_12,
#define CUP_OF_13(field, of_9, of_10, of_11, of_12, of_13) .field = of_13,
static const struct cup_layout cup_layouts[] = {
    [9] = {CUP_OFFSETS(CUP_OF_9)},   [10] = {CUP_OFFSETS(CUP_OF_10)},
    [11] = {CUP_OFFSETS(CUP_OF_11)}, [12] = {CUP_OFFSETS(CUP_OF_12)},
    [13] = {CUP_OFFSETS(CUP_OF_13)},
};
#undef NONE

/* The running interpreter's layout. Written once, before it is declared verified. */
extern struct cup_layout cup_layout CUP_OURS;

/* Fills in the listed layout of Python 3.MINOR. False: that version is unknown. */
bool cup_layout_known(int minor, struct cup_layout *layout);

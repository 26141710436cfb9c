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
 * frame_code       since 3.14 the low bits are flags
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
    /* Python               3.9   3.10   3.11   3.12   3.13   3.14   3.15 */                       \
    X(thread_frame,        24,    24,    56,    56,    72,    72,    72)                           \
    X(thread_indirect,   NONE,  NONE,     8,     0,  NONE,  NONE,  NONE)                           \
    X(thread_chunk,      NONE,  NONE,   296,   232,   232,   232,   256)                           \
    X(frame_code,          32,    32,    32,     0,     0,     0,     0)                           \
    X(frame_back,          24,    24,    48,     8,     8,     8,     8)                           \
    X(frame_variables,    360,   352,    72,    72,    72,    80,    80)                           \
    X(frame_owner,       NONE,  NONE,  NONE,    70,    70,    74,    74)                           \
    X(frame_place,        104,    96,    56,    56,    56,    56,    56)                           \
    X(code_name,          112,   112,   120,   120,   120,   120,   120)                           \
    X(code_label,         112,   112,   128,   128,   128,   128,   128)                           \
    X(code_file,          104,   104,   112,   112,   112,   112,   112)                           \
    X(code_first_line,     40,    40,    72,    68,    68,    68,    68)                           \
    X(code_table,         120,   120,   136,   136,   136,   136,   136)                           \
    X(code_version,      NONE,  NONE,  NONE,    92,    92,    92,    92)                           \
    X(code_instructions, NONE,  NONE,   184,   192,   200,   208,   208)                           \
    X(text_length,         16,    16,    16,    16,    16,    16,    16)                           \
    X(text_hash,           24,    24,    24,    24,    24,    24,    24)                           \
    X(text_state,          32,    32,    32,    32,    32,    32,    32)                           \
    X(text_ascii,          48,    48,    48,    40,    40,    40,    40)                           \
    X(text_other,          72,    72,    72,    56,    56,    56,    56)                           \
    X(bytes_length,        16,    16,    16,    16,    16,    16,    16)                           \
    X(bytes_data,          32,    32,    32,    32,    32,    32,    32)

/* From 3.13 on the interpreter publishes most of these offsets: _PyRuntime begins with a cookie, the
 * version, and a block of 64-bit words (_Py_DebugOffsets). X(field, member of the block, index of
 * its word in 3.13, 3.14, 3.15) */
#define CUP_PUBLISHED(X)                                                                           \
    X(thread_frame, thread_state.current_frame, 23, 26, 26)                                        \
    X(thread_chunk, thread_state.datastack_chunk, 26, 29, 32)                                      \
    X(frame_code, interpreter_frame.executable, 30, 33, 41)                                        \
    X(frame_back, interpreter_frame.previous, 29, 32, 40)                                          \
    X(frame_place, interpreter_frame.instr_ptr, 31, 34, 42)                                        \
    X(frame_variables, interpreter_frame.localsplus, 32, 35, 43)                                   \
    X(frame_owner, interpreter_frame.owner, 33, 36, 44)                                            \
    X(code_name, code_object.name, 36, 41, 49)                                                     \
    X(code_label, code_object.qualname, 37, 42, 50)                                                \
    X(code_file, code_object.filename, 35, 40, 48)                                                 \
    X(code_first_line, code_object.firstlineno, 39, 44, 52)                                        \
    X(code_table, code_object.linetable, 38, 43, 51)                                               \
    X(code_instructions, code_object.co_code_adaptive, 43, 48, 56)                                 \
    X(text_length, unicode_object.length, 69, 79, 91)                                              \
    X(text_state, unicode_object.state, 68, 78, 90)                                                \
    X(text_ascii, unicode_object.asciiobject_size, 70, 80, 92)                                     \
    X(bytes_length, bytes_object.ob_size, 65, 75, 87)                                              \
    X(bytes_data, bytes_object.ob_sval, 66, 76, 88)
/* clang-format on */

struct cup_layout {
#define X(field, ...) size_t field;
    CUP_OFFSETS(X)
#undef X
};

/* Constants, so that a loop over frames can be compiled for one version, without loading offsets.
 */
#define CUP_OF_9(field, of_9, ...) .field = of_9,
#define CUP_OF_10(field, of_9, of_10, ...) .field = of_10,
#define CUP_OF_11(field, of_9, of_10, of_11, ...) .field = of_11,
#define CUP_OF_12(field, of_9, of_10, of_11, of_12, ...) .field = of_12,
#define CUP_OF_13(field, of_9, of_10, of_11, of_12, of_13, ...) .field = of_13,
#define CUP_OF_14(field, of_9, of_10, of_11, of_12, of_13, of_14, of_15) .field = of_14,
#define CUP_OF_15(field, of_9, of_10, of_11, of_12, of_13, of_14, of_15) .field = of_15,
static const struct cup_layout cup_layouts[] = {
    [9] = {CUP_OFFSETS(CUP_OF_9)},   [10] = {CUP_OFFSETS(CUP_OF_10)},
    [11] = {CUP_OFFSETS(CUP_OF_11)}, [12] = {CUP_OFFSETS(CUP_OF_12)},
    [13] = {CUP_OFFSETS(CUP_OF_13)}, [14] = {CUP_OFFSETS(CUP_OF_14)},
    [15] = {CUP_OFFSETS(CUP_OF_15)},
};
#undef NONE

/* The running interpreter's layout. Written once, before it is declared verified. */
extern struct cup_layout cup_layout CUP_OURS;

/* Whether Python 3.MINOR has a column of CUP_OFFSETS. */
bool cup_layout_is_listed(int minor);

/* Fills in a layout that Python 3.MINOR may have; TRY is 0, 1, ...: its column of CUP_OFFSETS, with
 * the offsets that it publishes. A version that is newer than all columns may have the layout of
 * one of them, with what it publishes, and without: the newest is the first. False: there are no
 * more. */
bool cup_layout_candidate(int minor, int try, struct cup_layout *layout);

/* True if RUNTIME, the interpreter's _PyRuntime (or NULL), says that Python 3.MINOR was built
 * without a GIL. It says so since 3.13. */
bool cup_layout_is_free_threaded(const void *runtime, int minor);

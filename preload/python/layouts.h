/* The layout of each version, as offsetof() prints it with that version's internal headers. They
 * are constants, so that a loop over frames can be compiled for one version, without loading
 * offsets. */
#ifndef CUPPING_PRELOAD_PYTHON_LAYOUTS_H
#define CUPPING_PRELOAD_PYTHON_LAYOUTS_H

#include "preload/python/layout.h"

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

#endif

/* One frame of this thread's Python stack, by the layout that was verified. */
#ifndef CUPPING_PRELOAD_PYTHON_STACK_FRAMES_H
#define CUPPING_PRELOAD_PYTHON_STACK_FRAMES_H

#include "include/log_format.h"
#include "preload/python/fingerprint.h"
#include "preload/python/layout.h"
#include "preload/python/python.h"

#include <stdint.h>

extern const void *cup_stack_code_type CUP_OURS; /* PyCode_Type */

/* Verifies the layout from code objects on. Needs the GIL and a Python frame. NULL, or what is not
 * as expected. */
const char *cup_stack_layout_verify(void);

/* In 3.11 a frame is still there while the last reference to its code is dropped. */
static inline bool cup_stack_is_code(const char *object)
{
    return object && cup_code_word(object) && cup_code_word(object + 8) == cup_stack_code_type;
}

/* What follows comes twice: by a layout that the caller knows to be the running interpreter's, and
 * by that itself. */
static inline bool cup_stack_is_from_c_by(const struct cup_layout *layout, const char *frame)
{
    return layout->frame_owner != CUP_NOWHERE && frame[layout->frame_owner] >= CUP_FRAME_FROM_C;
}

static inline bool cup_stack_is_from_c(const char *frame)
{
    return cup_stack_is_from_c_by(&cup_layout, frame);
}

/* The code object that it runs; NULL: it is no frame of Python code. */
static inline const char *cup_stack_code_by(const struct cup_layout *layout, const char *frame)
{
    if (cup_stack_is_from_c_by(layout, frame))
        return NULL;
    const char *code = cup_code_word(frame + layout->frame_code);
    return cup_stack_is_code(code) ? code : NULL;
}

static inline const char *cup_stack_code_of(const char *frame)
{
    return cup_stack_code_by(&cup_layout, frame);
}

static inline const char *cup_stack_back_by(const struct cup_layout *layout, const char *frame)
{
    return cup_code_word(frame + layout->frame_back);
}

static inline const char *cup_stack_back_of(const char *frame)
{
    return cup_stack_back_by(&cup_layout, frame);
}

/* The instruction, as a number that is its own in the process as long as its code lives. */
static inline uint64_t cup_stack_place_by(const struct cup_layout *layout, const char *frame,
                                          const char *code)
{
    const char *at = frame + layout->frame_place;
    if (layout->code_instructions == CUP_NOWHERE)
        return (uintptr_t)code ^ (uint64_t)cup_code_half(at) << 44;
    return (uintptr_t)cup_code_word(at);
}

/* From 3.13 on, what calls a class leaves a frame whose code stands in no file: its name is
 * the file's as well. */
static inline bool cup_stack_is_shim(const char *code)
{
    return cup_code_word(code + cup_layout.code_name) == cup_code_word(code + cup_layout.code_file);
}

/* It is the outermost of those that run in one call of the interpreter's eval function: before 3.11
 * each has one of its own; in 3.11 the frame says so; later what called it is an entry from C. */
static inline bool cup_stack_is_entry(const char *frame)
{
    enum { SAYS_SO = 36 }; /* behind the code. Unverified: merge.h counts */
    if (cup_py.minor < 11)
        return true;
    if (cup_py.minor == 11)
        return frame[cup_layout.frame_code + SAYS_SO];
    const char *back = cup_stack_back_of(frame);
    return back && cup_stack_is_from_c(back);
}

/* Its offset in the code, in bytes, or CUP_AT_UNKNOWN: it has not begun. */
static inline uint32_t cup_stack_offset_of(const char *frame, const char *code)
{
    const char *at = frame + cup_layout.frame_place;
    if (cup_layout.code_instructions == CUP_NOWHERE) {
        int32_t last = (int32_t)cup_code_half(at);
        return last < 0 ? CUP_AT_UNKNOWN : (uint32_t)last * (cup_py.minor < 10 ? 1 : 2);
    }
    uint64_t offset = (uintptr_t)cup_code_word(at) - (uintptr_t)code;
    offset -= cup_layout.code_instructions;
    return offset < INT32_MAX ? (uint32_t)offset : CUP_AT_UNKNOWN;
}

#endif

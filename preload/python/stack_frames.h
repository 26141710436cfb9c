/* The fields of a Python frame, by the verified layout. FRAME may be a frame of the calling thread
 * or a copy of another thread's frame. None of these need the GIL. */
#ifndef CUPPING_PRELOAD_PYTHON_STACK_FRAMES_H
#define CUPPING_PRELOAD_PYTHON_STACK_FRAMES_H

#include "include/log_format.h"
#include "preload/python/fingerprint.h"
#include "preload/python/layout.h"
#include "preload/python/python.h"

#include <stdint.h>

extern const void *cup_stack_code_type CUP_OURS; /* PyCode_Type */

/* Verifies the layout of frames, code objects, str and bytes on the current stack. Needs the GIL
 * and a Python frame. Returns NULL, or what is not as expected. */
const char *cup_stack_layout_verify(void);

/* In 3.11 a frame still exists while the last reference to its code object is dropped, so its
 * pointer may lead to an object that is being freed: the reference count (not 0) and the type are
 * checked. */
static inline bool cup_stack_is_code(const char *object)
{
    return object && cup_code_word(object) && cup_code_word(object + 8) == cup_stack_code_type;
}

/* The following functions exist twice. The one whose name ends with _by gets the layout from its
 * caller, who knows that it is the running interpreter's: with a constant layout it is faster. The
 * other one uses the variable cup_layout. */
static inline bool cup_stack_is_from_c_by(const struct cup_layout *layout, const char *frame)
{
    return layout->frame_owner != CUP_NOWHERE && frame[layout->frame_owner] >= CUP_FRAME_FROM_C;
}

static inline bool cup_stack_is_from_c(const char *frame)
{
    return cup_stack_is_from_c_by(&cup_layout, frame);
}

/* The code object that the frame runs; NULL: an entry from C. */
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

/* A number that identifies the instruction in the process, as long as its code object exists. */
static inline uint64_t cup_stack_place_by(const struct cup_layout *layout, const char *frame,
                                          const char *code)
{
    const char *at = frame + layout->frame_place;
    if (layout->code_instructions == CUP_NOWHERE)
        return (uintptr_t)code ^ (uint64_t)cup_code_half(at) << 44;
    return (uintptr_t)cup_code_word(at);
}

/* Since 3.13, calling a class creates a shim frame, whose code object is no function of the
 * program: its name and its file are the same str object. */
static inline bool cup_stack_is_shim(const char *code)
{
    return cup_code_word(code + cup_layout.code_name) == cup_code_word(code + cup_layout.code_file);
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
    const char *back = cup_stack_back_of(frame);
    return back && cup_stack_is_from_c(back);
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
    uint64_t offset = (uintptr_t)cup_code_word(at) - (uintptr_t)code;
    offset -= cup_layout.code_instructions;
    return offset < INT32_MAX ? (uint32_t)offset : CUP_AT_UNKNOWN;
}

#endif

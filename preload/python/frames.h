/* This thread's Python stack, read without the GIL, without allocating, in a few loads a frame: a
 * clock call asks "is my caller called _measure_tick?" by comparing one pointer, and a task's begin
 * and end find Dask's frames without making objects of the frames in between. */
#ifndef CUPPING_PRELOAD_PYTHON_FRAMES_H
#define CUPPING_PRELOAD_PYTHON_FRAMES_H

#include "preload/python/python.h"

/* Finds the offsets of the running interpreter, and verifies them against what the C API says of
 * the whole stack. Needs the GIL and a Python frame. Returns NULL, or why it cannot be done. */
const char *cup_frames_verify(void);

/* The interpreter is gone. */
void cup_frames_off(void);

/* A frame of the calling thread, as the interpreter keeps it. Valid while the hook runs. */
struct cup_frame {
    const char *at;
    int depth; /* frames above it */
};

/* False: no Python thread, no frame, or not verified. Any thread, GIL or not. */
bool cup_frames_top(struct cup_frame *frame);

/* Name of the top frame's code at once (see cup_frames_name): all that most clock calls need. NULL
 * as cup_frames_top() is false. */
const void *cup_frames_top_name(void);

/* The instruction that the top frame executes, as a number to compare: two calls with the same one
 * were made by one instruction. 0 if it is not known. */
uint64_t cup_frames_top_place(void);

/* Likewise of any frame: within one code object, a larger one stands further on. */
uint64_t cup_frames_place(struct cup_frame frame);

/* The frame that called it. False at the end of the stack. */
bool cup_frames_back(struct cup_frame *frame);

/* co_name of its code: a pointer to compare with interned names, never to follow. */
const void *cup_frames_name(struct cup_frame frame);

/* Its code object, borrowed. */
cup_object *cup_frames_code(struct cup_frame frame);

/* Its code comes from a file whose path ends so: a function of the user's may have any name. GIL.
 */
bool cup_frames_is_in(struct cup_frame frame, const char *ending);

/* The value of a local variable (new reference), NULL if it is not bound. GIL. NAME is a literal.
 *
 * The first times the C API is asked, and its answer compared with what stands in the frame where
 * the variable should be; once they agreed often enough the frame is read alone, and never if they
 * disagreed once. LOCALS keeps the frame's dict of locals between calls where the API has no
 * cheaper way: start with NULL, drop it at the end. */
cup_object *cup_frames_local(struct cup_frame frame, const char *name, cup_object **locals);

#endif

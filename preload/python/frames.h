/* Reads the calling thread's Python frames directly from the interpreter's memory: a few loads per
 * frame, without creating frame objects. So a clock call can ask "is my caller _measure_tick?" with
 * one pointer comparison. Needs no GIL: a thread's own frames change only when the thread itself
 * runs Python code. */
#pragma once

#include "preload/python/python.h"

/* Looks up the offsets of the running version and compares what they give with what the C API says,
 * for every frame of the current stack. Needs the GIL and a Python frame. Returns NULL, or the
 * reason why frames cannot be read. */
const char *cup_frames_verify(void);

/* The interpreter has ended: no frames are read any more. */
void cup_frames_off(void);

/* A frame of the calling thread. Valid until the hook returns to Python. */
struct cup_frame {
    const char *at; /* the interpreter's structure */
    int depth;      /* 0: the innermost frame, 1: its caller, ... */
};

/* The innermost frame. False: no Python thread, no frame, or not verified. Any thread, no GIL. */
bool cup_frames_top(struct cup_frame *frame);

/* cup_frames_name() of the innermost frame: all that most clock calls need. NULL where
 * cup_frames_top() returns false. */
const void *cup_frames_top_name(void);

/* A number that identifies the instruction that the innermost frame executes, and the frame: two
 * calls with the same number were made by the same instruction. 0: unknown. */
uint64_t cup_frames_top_place(void);

/* The instruction of any frame. Within a code object, later instructions have larger numbers. 0:
 * unknown. */
uint64_t cup_frames_place(struct cup_frame frame);

/* Goes to the caller. False at the end of the stack. */
bool cup_frames_back(struct cup_frame *frame);

/* The str object co_name of the frame's code: compare the pointer with interned names, do not
 * follow it. */
const void *cup_frames_name(struct cup_frame frame);

/* co_name of a code object, for the same comparison. Needs verified frames. */
const void *cup_frames_code_name(cup_object *code);

/* The frame's code object, borrowed. Safe without the GIL as long as the frame exists: the frame
 * holds a reference. */
cup_object *cup_frames_code(struct cup_frame frame);

/* Replaces *FRAME, a reference to a frame object of the C API, by one to its caller; NULL: it has
 * none. Needs the GIL. */
void cup_frames_older(cup_object **frame);

/* True if the path of the file that contains the frame's function ends with ENDING: the user may
 * have a function of the same name elsewhere. Needs the GIL. */
bool cup_frames_is_in(struct cup_frame frame, const char *ending);

/* The value of the frame's local variable NAME (a literal), a new reference; NULL: not bound. Needs
 * the GIL.
 *
 * The first calls ask the C API, and compare its answer with the word of the frame where the
 * variable should be. Once both agreed several times, later calls only read the frame; if they ever
 * disagreed, later calls only ask the API. *LOCALS caches the frame's dict of locals between calls,
 * for versions where the API has no cheaper way: start with NULL, and drop it at the end. */
cup_object *cup_frames_local(struct cup_frame frame, const char *name, cup_object **locals);

/* True if the frame's function has a local variable NAME (a literal), bound or not. Needs the GIL.
 */
bool cup_frames_has_local(struct cup_frame frame, const char *name);

/* The code object that runs on top of this thread's Python stack, read without the GIL, without
 * allocating, in a few loads. Only its name is looked at: a clock call asks "is my caller called
 * _measure_tick?" by comparing one pointer. */
#ifndef CUPPING_FRAMES_H
#define CUPPING_FRAMES_H

#include "preload/python.h"

/* Finds and verifies the offsets of the running interpreter. Needs the GIL and a Python frame.
 * Returns NULL, or why it cannot be done. */
const char *cup_frames_verify(void);

/* The interpreter is gone. */
void cup_frames_off(void);

/* co_name of the top frame's code: a pointer to compare with interned names, never to follow.
 * NULL: no Python thread, no frame, or not verified. */
const void *cup_frames_top_name(void);

/* co_name of a code object. */
const void *cup_frames_name_of(const cup_object *code);

#endif

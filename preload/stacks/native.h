/* The calling thread's native frames, by libunwind, where it is installed. See
 * docs/contributing/stacks.md.
 *
 * It is loaded by its name, for itself alone: it also has _Unwind_* functions, which must not
 * become those by which C++ unwinds. Three of its calls are redirected. What it asks the loader it
 * is told by modules.h, for the loader's list has a lock whose holder may wait for the GIL that the
 * calling thread holds. And it has no pipe to find out by which memory is there: the program might
 * close its descriptors, and have files of its own at their numbers. */
#ifndef CUPPING_PRELOAD_STACKS_NATIVE_H
#define CUPPING_PRELOAD_STACKS_NATIVE_H

#include "preload/lifecycle/thread.h"

#include <stdbool.h>
#include <stdint.h>

enum { CUP_NATIVE_MOST = 256 }; /* frames of a stack, the inner ones */

/* Off unless this is called. */
void cup_native_want(bool wanted);
bool cup_native_wanted(void);

/* Loads libunwind and tries it. Needs the GIL and a Python frame, after cup_stacks_verify(). NULL,
 * or why there are no native frames. */
const char *cup_native_verify(void);

/* Native frames are read; no more where a library is gone that they lay in. */
bool cup_native_on(void);

/* Return addresses of the frames, the innermost first. */
struct cup_native {
    uint64_t hash;  /* of what they are, and what that means now */
    uint32_t count; /* of all */
    uint32_t own;   /* the first so many lie in this library */
    bool cut;       /* there are more */
    void *at[CUP_NATIVE_MOST];
};

/* They may be read now. False: a library is being unloaded, or is gone (counted). */
bool cup_native_may(void);

/* libunwind finds room on the stack. False: it may not, for little of it is left, or it is none of
 * the thread's own (counted; native_thread.h). Keeps errno. */
bool cup_native_has_room(void);

/* Guard held; both keep errno. */
void cup_native_here(struct cup_native *native);

/* Inside of the instruction that calls: behind one that does not return may lie another function.
 */
static inline const void *cup_native_call(const void *at)
{
    return (const char *)at - 1;
}

/* What an address is to whoever puts native and Python frames together. */
enum cup_native_kind {
    CUP_NATIVE_OTHER,
    CUP_NATIVE_OWN,         /* this library */
    CUP_NATIVE_INTERPRETER, /* libpython, or the executable that has it inside */
    CUP_NATIVE_EVAL,        /* there: runs Python frames */
};
enum cup_native_kind cup_native_kind(const void *call);

/* In a forked child. False: a thread that is not there may hold libunwind's locks, so there are no
 * native frames. */
bool cup_native_forked(void);

#endif

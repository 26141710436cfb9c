/* Reads the calling thread's native frames with libunwind, where that is installed.
 * docs/contributing/stacks.md says why it is loaded with RTLD_LOCAL, why some of its calls are
 * redirected (dl_iterate_phdr to modules.h), why it gets no pipe, and why its thread-local storage
 * is in native_thread.h. */
#ifndef CUPPING_PRELOAD_STACKS_NATIVE_H
#define CUPPING_PRELOAD_STACKS_NATIVE_H

#include "preload/lifecycle/thread.h"

#include <stdbool.h>
#include <stdint.h>

enum { CUP_NATIVE_MOST = 256 }; /* innermost frames of a stack that are read */

/* Whether native frames are wanted (CUPPING_NATIVE); called once, at load. */
void cup_native_want(bool wanted);

/* Loads libunwind and tests it on the current stack. Called after cup_stacks_verify(). Needs the
 * GIL and a Python frame. Returns NULL, or the reason why there are no native frames: "" if they
 * are not wanted. */
const char *cup_native_verify(void);

/* Return addresses, innermost first. */
struct cup_native {
    uint64_t hash; /* of the addresses, without our own, and of the list of modules; odd */
    uint32_t count;
    uint32_t own; /* the first OWN addresses are in libcupping.so */
    bool cut;     /* the outermost frames are missing */
    void *at[CUP_NATIVE_MOST];
};

/* True if native frames may be read now. False if they are off (cup_native_verify() has not
 * succeeded, or a library was unloaded that frames were in), or if the thread is inside
 * libunwind already. Also false, and counted in the log's health: a library is being unloaded or is
 * gone, so an address could be taken for one of another library. Keeps errno. */
bool cup_native_may(void);

/* False, and counted in the log's health: there is too little stack left for libunwind, or the
 * thread runs on another stack than its own, or it has no thread slot (native_thread.h). Keeps
 * errno. */
bool cup_native_has_room(void);

/* Reads the frames of the calling thread. The guard is held; cup_native_may() and
 * cup_native_has_room() returned true. Keeps errno. */
void cup_native_here(struct cup_native *native);

/* An address inside the call instruction that a return address belongs to. The return address
 * itself may be in the next function, if the called one never returns. */
static inline const void *cup_native_call(const void *at)
{
    return (const char *)at - 1;
}

/* Which code an address is in; for merge_frames.h. */
enum cup_native_kind {
    CUP_NATIVE_OTHER,
    CUP_NATIVE_OWN,         /* libcupping.so */
    CUP_NATIVE_INTERPRETER, /* libpython, or an executable that contains it */
    CUP_NATIVE_EVAL,        /* its function that executes Python frames */
};
enum cup_native_kind cup_native_kind(const void *call);

/* In a forked child. If a thread of the parent may have held libunwind's locks, native frames are
 * off from now on, and a note says so. */
void cup_native_child_begins(void);

#endif

/* Reads the calling thread's native frames with libunwind, where that is installed.
 * docs/contributing/stacks.md says why it is loaded with RTLD_LOCAL, why some of its calls are
 * redirected (dl_iterate_phdr to modules.h), why it gets no pipe, and why its thread-local storage
 * is in native_thread.c. */
#pragma once

#include "preload/lifecycle/thread.h"
#include "preload/sys/elf_symbols.h"

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
 * thread runs on another stack than its own, or it has no thread slot (native_thread.c). Keeps
 * errno. */
bool cup_native_has_room(void);

/* True if the calling thread runs on the stack of its signal handlers (sigaltstack), or if that is
 * not known. A system call. */
bool cup_native_on_signal_stack(void);

/* The end of the calling thread's own stack: the address after its last word. Only after
 * cup_native_has_room() returned true. */
const uint64_t *cup_native_stack_end(void);

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

/* ---- what libunwind needs from the calling thread (native_thread.c) -------------------------- */

/* Stack: frames are not read where the thread runs on a stack that may be small: one for signals
 * (sigaltstack), or a coroutine's.
 *
 * Thread-local storage: the loader would allocate libunwind's with malloc, which the thread may be
 * inside of (docs/contributing/stacks.md). So it is in a static array, an entry per thread slot. */

/* The calling thread is inside libunwind, called by us. */
extern __thread bool cup_native_unwinds __attribute__((tls_model("initial-exec"))) CUP_OURS;

/* Redirects LIBRARY's calls of __tls_get_addr() and of the pthread_key functions. Called before its
 * first use. False: it needs too much storage, or gets it in an unknown way. */
bool cup_native_thread_redirect(const struct cup_elf *library);

/* The calling thread ends: libunwind frees its cache for it. The guard is held. Must come before
 * the thread gives up its slot. */
void cup_native_thread_ends(void);

/* A forked child: only the calling thread exists, and it starts anew. */
void cup_native_threads_forked(void);

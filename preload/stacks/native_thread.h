/* What libunwind needs from the calling thread: enough stack (cup_native_has_room() of native.h is
 * in native_thread.c), and thread-local storage that exists already.
 *
 * Stack: frames are not read where the thread runs on a stack that may be small: one for signals
 * (sigaltstack), or a coroutine's.
 *
 * Storage: the loader would allocate libunwind's thread-local storage with malloc, which the thread
 * may be inside of (docs/contributing/stacks.md). So it gets it from a static array here, one entry
 * per thread slot. */
#ifndef CUPPING_PRELOAD_STACKS_NATIVE_THREAD_H
#define CUPPING_PRELOAD_STACKS_NATIVE_THREAD_H

#include "preload/sys/elf_symbols.h"
#include "preload/sys/library_variable.h"

#include <stdbool.h>

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

#endif

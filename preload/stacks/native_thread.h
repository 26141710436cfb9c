/* What libunwind needs in the calling thread: enough of its own stack, and storage of the thread's
 * that is there without being allocated.
 *
 * A stack may be a small one, one for signals (sigaltstack) or a coroutine's; there frames are not
 * read. And the first use of a library's thread-local storage allocates it: by malloc, which the
 * thread may be within when a signal comes, and where no memory is left the loader ends the
 * process. So libunwind gets its storage from here. */
#ifndef CUPPING_PRELOAD_STACKS_NATIVE_THREAD_H
#define CUPPING_PRELOAD_STACKS_NATIVE_THREAD_H

#include "preload/sys/elf_symbols.h"

#include <stdbool.h>

/* Redirects what LIBRARY asks for storage. Before its first use. False: it wants more than there
 * is, or asks in a way that is not known. */
bool cup_native_thread_redirect(const struct cup_elf *library);

/* Frames of the calling thread may be read here. Guard held; errno is not kept. */
bool cup_native_thread_may(void);

/* The calling thread ends: libunwind gives back what it has for it. Guard held, before the seat is
 * left. */
void cup_native_thread_ends(void);

/* A forked child. */
void cup_native_threads_forked(void);

#endif

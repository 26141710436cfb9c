/* Functions that before glibc 2.34 lie in libpthread. A program without it may load a library that
 * brings it along: out of our sight, unless it is asked by its name. */
#ifndef CUPPING_PRELOAD_SYS_LAZY_SYMBOL_H
#define CUPPING_PRELOAD_SYS_LAZY_SYMBOL_H

#include "preload/sys/hook_list.h"

void *cup_lazy_symbol_find(void **slot, const char *name);

/* The real function, or NULL. */
#define CUP_LATER(name)                                                                            \
    (__builtin_expect(real_##name != NULL, 1)                                                      \
         ? real_##name                                                                             \
         : (__typeof__(name) *)cup_lazy_symbol_find((void **)&real_##name, #name))

/* The C library keeps in a condition who waits for it, since glibc 2.25; false with older ones. */
bool cup_lazy_symbol_shows_waiters(void);

#endif

/* Functions that are in libpthread before glibc 2.34. A program may not be linked with libpthread,
 * and open a library later that is. dlsym(RTLD_NEXT) does not find the functions then, so they are
 * looked up in libpthread by name. */
#ifndef CUPPING_PRELOAD_SYS_LAZY_SYMBOL_H
#define CUPPING_PRELOAD_SYS_LAZY_SYMBOL_H

#include "preload/sys/hook_list.h"

/* Looks up the function NAME, first as cup_real_find() does, then in libpthread if that is loaded.
 * Stores it in *SLOT and returns it; NULL: not found. */
void *cup_lazy_symbol_find(void **slot, const char *name);

/* The real function; NULL: libpthread is not loaded. */
#define CUP_LATER(name)                                                                            \
    (__builtin_expect(real_##name != NULL, 1)                                                      \
         ? real_##name                                                                             \
         : (__typeof__(name) *)cup_lazy_symbol_find((void **)&real_##name, #name))

/* True since glibc 2.25, whose pthread_cond_t holds the number of waiters. */
bool cup_lazy_symbol_shows_waiters(void);

#endif

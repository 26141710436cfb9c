/* Redirects the calls that one library makes to others, by changing its own global offset table.
 * Calls from other libraries are not affected. */
#ifndef CUPPING_PRELOAD_SYS_REDIRECT_H
#define CUPPING_PRELOAD_SYS_REDIRECT_H

#include "preload/sys/elf_symbols.h"

/* From now on LIBRARY calls TO where it calls the symbol NAME. False: it does not call NAME, or its
 * table cannot be written. No other thread may be running in LIBRARY at that time. */
bool cup_redirect(const struct cup_elf *library, const char *name, const void *to);

#endif

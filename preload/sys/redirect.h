/* Calls that one library makes of others, sent elsewhere: its own table of their addresses is
 * changed, and nobody else's calls are. */
#ifndef CUPPING_PRELOAD_SYS_REDIRECT_H
#define CUPPING_PRELOAD_SYS_REDIRECT_H

#include "preload/sys/elf_symbols.h"

/* What LIBRARY calls by NAME is TO from now on. False: it does not call that, or its table cannot
 * be written. Nothing else of it runs at that time. */
bool cup_redirect(const struct cup_elf *library, const char *name, const void *to);

#endif

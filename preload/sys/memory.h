/* Reads memory of this process that may not be mapped. The kernel copies it and answers EFAULT
 * where a load would raise SIGSEGV. Slow: used for verification, never at every call of a hook. */
#ifndef CUPPING_PRELOAD_SYS_MEMORY_H
#define CUPPING_PRELOAD_SYS_MEMORY_H

#include <stdbool.h>
#include <stddef.h>

/* Copies BYTES from AT. False: not all of them are mapped. */
bool cup_memory_read(const void *at, void *to, size_t bytes);

/* The word at AT + OFFSET; NULL if it cannot be read. */
void *cup_memory_word(const void *at, size_t offset);

#endif

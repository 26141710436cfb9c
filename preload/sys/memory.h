/* Reading memory of this process that may not be there: by the kernel, which answers EFAULT
 * where a load would be a SIGSEGV. Used while offsets are discovered, never in a hook. */
#ifndef CUPPING_PRELOAD_SYS_MEMORY_H
#define CUPPING_PRELOAD_SYS_MEMORY_H

#include <stdbool.h>
#include <stddef.h>

bool cup_memory_read(const void *at, void *to, size_t bytes);

/* The word at AT + OFFSET; NULL if it cannot be read. */
void *cup_memory_word(const void *at, size_t offset);

#endif

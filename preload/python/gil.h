/* Where the interpreter's lock lies. CPython (3.9 to 3.13) waits for the GIL on condition variables
 * inside its one object _PyRuntime: to take it, and, when it was asked to give it up, until
 * somebody else has. No other condition lies there; its other locks are semaphores. */
#ifndef CUPPING_PRELOAD_PYTHON_GIL_H
#define CUPPING_PRELOAD_PYTHON_GIL_H

#include <stdbool.h>
#include <stdint.h>

extern struct cup_gil {
    uintptr_t from;
    uint64_t bytes; /* 0: not found */
} cup_gil;

/* Once, when the interpreter is found. */
void cup_gil_find(void);

static inline bool cup_gil_is(const void *condition)
{
    return (uintptr_t)condition - cup_gil.from < cup_gil.bytes;
}

#endif

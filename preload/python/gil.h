/* Recognises waits for the GIL. CPython (3.9 to 3.13) waits for the GIL on condition variables
 * inside its global object _PyRuntime: to take the GIL, and, after it gave the GIL up on request,
 * until another thread has taken it. No other condition variable is in _PyRuntime. */
#ifndef CUPPING_PRELOAD_PYTHON_GIL_H
#define CUPPING_PRELOAD_PYTHON_GIL_H

#include <stdbool.h>
#include <stdint.h>

extern struct cup_gil {
    uintptr_t from;
    uint64_t bytes; /* of _PyRuntime; 0: not found */
} cup_gil;

/* Called once, when the interpreter is found. */
void cup_gil_find(void);

/* True if a wait on this condition variable is a wait for the GIL. Any thread;
 * async-signal-safe. */
static inline bool cup_gil_is(const void *condition)
{
    return (uintptr_t)condition - cup_gil.from < cup_gil.bytes;
}

#endif

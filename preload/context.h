/* The way "context": a context variable of ours travels with asyncio and to_thread to whichever
 * thread works for a task. It is read at the very call, without the GIL: a thread's own current
 * context cannot change while that thread is inside our hook, and what it leads to is immutable.
 * No reference count is touched, nothing is allocated. */
#ifndef CUPPING_CONTEXT_H
#define CUPPING_CONTEXT_H

#include "preload/python.h"

/* Makes the variable, finds where this interpreter keeps contexts, and verifies the reading with
 * contexts of known content. Needs the GIL. NULL, or why it cannot be done. */
const char *cup_context_verify(void);

/* Sets the variable to TASK in the current context: returns the token that resets it (new
 * reference), NULL if the way is off. GIL. */
cup_object *cup_context_set(uint32_t task);
void cup_context_reset(cup_object *token); /* drops TOKEN */

/* The interpreter is gone. */
void cup_context_off(void);

/* Task in the calling thread's context; 0: none. Any thread, GIL or not. */
uint32_t cup_context_task(void);

#endif

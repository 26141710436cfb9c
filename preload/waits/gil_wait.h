/* Waits for the GIL. CPython waits for it on a condition, with the mutex of that condition locked
 * before and after the wait: work that the library did there would block each thread that wants to
 * give the GIL up, or to take it. So the hooks of the condition and of the mutex only note when the
 * wait began, and the wait is counted when the thread has unlocked the mutex. CPython waits in
 * steps of 5 ms without unlocking the mutex in between, and such a row of steps is one wait. */
#pragma once

#include "preload/waits/wait.h"

#include <stdbool.h>

/* The calling thread begins to wait for MUTEX of the GIL, or for a condition of it, with MUTEX
 * locked. True: the caller must call cup_gil_wait_ends() after that. ROOM: of the calling wrapper;
 * only its address is used. Keeps errno. */
bool cup_gil_wait_begins(struct cup_wait *room, const void *mutex);
void cup_gil_wait_ends(void);

/* The calling thread has unlocked MUTEX. Keeps errno. */
void cup_gil_wait_count(const void *mutex);
static inline void cup_gil_wait_unlocked(const void *mutex)
{
    if (__builtin_expect(cup_wait_self.gil_start != 0, 0))
        cup_gil_wait_count(mutex);
}

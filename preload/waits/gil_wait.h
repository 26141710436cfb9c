/* Waits for the GIL. CPython waits on a condition variable and holds its mutex before and after
 * the wait. Work that the library did there would delay every thread that wants to take or release
 * the GIL. So the hooks only note when a wait began, and count it when the thread has unlocked the
 * mutex. CPython waits in steps of 5 ms and keeps the mutex between them: these steps are one wait.
 * The exception is a wait of more than 50 ms. It is counted in pieces while the mutex is locked, so
 * that the time series and the log of a killed worker have it. */
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

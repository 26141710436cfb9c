/* A spin lock that is held for a few stores; a waiting thread yields the core. Some are held while
 * the log grows, which a slow file system may delay: a thread that waits for long sleeps. It
 * allocates nothing and calls no function that the library hooks. A forked child sets it to 0: the
 * thread that held it may not exist there. Not for signal handlers: the interrupted thread may hold
 * the lock (see the guard in lifecycle/thread.h). */
#pragma once

#include <stdint.h>

/* Lets other threads run; after some TRIES, it sleeps. Leaves errno alone. */
void cup_spin_wait(uint32_t tries);

static inline void cup_spin_lock(uint32_t *lock)
{
    for (uint32_t tries = 0; __atomic_exchange_n(lock, 1, __ATOMIC_ACQUIRE); tries++)
        cup_spin_wait(tries);
}

static inline void cup_spin_unlock(uint32_t *lock)
{
    __atomic_store_n(lock, 0, __ATOMIC_RELEASE);
}

/* A spin lock that is held for a few stores; a waiting thread yields the core. It allocates nothing
 * and calls no function that the library hooks. A forked child sets it to 0: the thread that held
 * it may not exist there. Not for signal handlers: the interrupted thread may hold the lock (see
 * the guard in lifecycle/thread.h). */
#pragma once

#include <sched.h>
#include <stdint.h>

static inline void cup_spin_lock(uint32_t *lock)
{
    while (__atomic_exchange_n(lock, 1, __ATOMIC_ACQUIRE))
        sched_yield();
}

static inline void cup_spin_unlock(uint32_t *lock)
{
    __atomic_store_n(lock, 0, __ATOMIC_RELEASE);
}

/* A lock for a few stores, that yields while it waits. It allocates nothing and is no semaphore, so
 * none of our own wrappers is on its way; a forked child sets it to 0. */
#ifndef CUPPING_PRELOAD_SYS_SPIN_H
#define CUPPING_PRELOAD_SYS_SPIN_H

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

#endif

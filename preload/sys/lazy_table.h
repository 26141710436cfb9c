/* Tables that only some processes need: mapped at the first use. The kernel provides their pages,
 * which are zeros, when they are first used. Any thread. */
#pragma once

#include "preload/sys/raw.h"

#include <sys/mman.h>

/* NULL: it is not made yet. */
static inline void *cup_lazy_table(void **table)
{
    return __atomic_load_n(table, __ATOMIC_ACQUIRE);
}

/* Makes it unless it is there; NULL: there is no memory. If two threads make it at the same time,
 * the second one unmaps its own. */
static inline void *cup_lazy_table_make(void **table, size_t bytes)
{
    void *none = NULL, *there = cup_lazy_table(table);
    if (there)
        return there;
    void *room = cup_raw_mmap(NULL, bytes, PROT_READ | PROT_WRITE,
                              MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (room == MAP_FAILED)
        return NULL;
    if (__atomic_compare_exchange_n(table, &none, room, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
        return room;
    cup_raw_munmap(room, bytes);
    return none;
}

/* Clears it. It is cheaper than writing zeros. */
static inline void cup_lazy_table_clear(void **table, size_t bytes)
{
    void *there = cup_lazy_table(table);
    if (there)
        madvise(there, bytes, MADV_DONTNEED);
}

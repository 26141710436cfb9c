#include "preload/lock.h"

#include "preload/log.h"
#include "preload/raw.h"

_Static_assert(sizeof(struct cup_lock) * CUP_LOCK_WAYS == 64, "a set is a cache line");

struct cup_lock (*cup_lock_table)[CUP_LOCK_WAYS];

static const size_t table_bytes = CUP_LOCK_SETS * sizeof *cup_lock_table;

int cup_lock_init(void)
{
    void *at = cup_raw_mmap(NULL, table_bytes, PROT_READ | PROT_WRITE,
                            MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (at == MAP_FAILED)
        return -1;
    cup_lock_table = at;
    return 0;
}

void cup_lock_reset(void)
{
    if (cup_lock_table)
        madvise(cup_lock_table, table_bytes, MADV_DONTNEED);
}

/* Two threads may claim places of one set at a time; a lock belongs to one of them only. */
static struct cup_lock *claim(const void *lock)
{
    struct cup_lock *set = cup_lock_set(lock);
    enum { CLAIMED = 1 }; /* no lock has this address */
    for (int i = 0; i < CUP_LOCK_WAYS; i++) {
        uint64_t expected = 0;
        if (__atomic_compare_exchange_n(&set[i].address, &expected, CLAIMED, false,
                                        __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
            return &set[i];
    }
    cup_log_health(CUP_H_LOCKS_DROPPED, 1);
    return NULL;
}

void cup_lock_made(const void *lock, uint32_t maker)
{
    if (!cup_lock_table)
        return;
    cup_lock_gone(lock); /* memory that was given back without sem_destroy */
    struct cup_lock *entry = maker ? claim(lock) : NULL;
    if (!entry)
        return;
    entry->maker = maker;
    entry->shared = 0;
    __atomic_store_n(&entry->address, (uintptr_t)lock, __ATOMIC_RELEASE);
}

void cup_lock_gone(const void *lock)
{
    struct cup_lock *entry = cup_lock_find(lock);
    if (entry)
        __atomic_store_n(&entry->address, 0, __ATOMIC_RELEASE);
}

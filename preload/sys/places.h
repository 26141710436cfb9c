/* Places of a table that threads take and give back without a lock. TAKEN has one bit for each
 * place, so that 64 of them are searched with one load. */
#pragma once

#include <stdint.h>

/* Takes one of the first COUNT places and returns its index; COUNT: none is free. */
static inline uint32_t cup_place_take(uint64_t *taken, uint32_t count)
{
    for (uint32_t word = 0; word * 64 < count; word++) {
        uint64_t bits = __atomic_load_n(&taken[word], __ATOMIC_RELAXED);
        while (~bits) {
            uint32_t bit = (uint32_t)__builtin_ctzll(~bits);
            if (word * 64 + bit >= count)
                break;
            if (__atomic_compare_exchange_n(&taken[word], &bits, bits | UINT64_C(1) << bit, false,
                                            __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
                return word * 64 + bit;
        }
    }
    return count;
}

static inline void cup_place_free(uint64_t *taken, uint32_t index)
{
    __atomic_fetch_and(&taken[index / 64], ~(UINT64_C(1) << index % 64), __ATOMIC_RELEASE);
}
